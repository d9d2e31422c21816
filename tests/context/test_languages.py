"""The prompt's anchors are in the language that the locale names."""

from __future__ import annotations

import pytest

from fsm_agent.context.languages import anchors, locale


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("en_US", "English"),
        ("en", "English"),
        ("de_DE", "Deutsch"),
        ("de-AT", "Deutsch"),
        ("fr_CA", "français"),
        ("es_MX", "español"),
        ("pt_BR", "português"),
        ("it_IT", "italiano"),
        ("ja_JP", "日本語"),
        ("ko_KR", "한국어"),
        ("ru_RU", "русском"),
        ("zh_CN", "简体中文"),
        ("zh", "简体中文"),
        ("zh_TW", "繁體中文"),
        ("zh_HK", "繁體中文"),
        ("zh-Hant", "繁體中文"),
    ],
)
def test_a_language_is_asked_for_in_itself(name: str, said: str) -> None:
    told = anchors(name)

    assert said in told.output
    assert "fsm-agent" in told.identity


def test_each_language_has_sentences_of_its_own() -> None:
    names = ("de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh_CN", "zh_TW")

    assert len({anchors(name).identity for name in names}) == len(names)
    assert len({anchors(name).output for name in names}) == len(names)


def test_an_unknown_language_is_named_by_its_locale() -> None:
    assert "sv_SE" in anchors("sv_SE").identity
    assert "sv_SE" in anchors("sv_SE").output


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("de_DE.UTF-8", "de_DE"),
        ("de_DE.UTF-8@euro", "de_DE"),
        ("sr_RS@latin", "sr_RS@latin"),
        ("zh-Hant-TW", "zh-Hant-TW"),
        ("C", ""),
        ("C.UTF-8", ""),
        ("POSIX", ""),
        ("", ""),
        ("de_DE\n</environment>", ""),
        ("not a locale", ""),
    ],
)
def test_a_locale_s_name_is_without_encoding_or_is_none(text: str, name: str) -> None:
    assert locale(text) == name
