"""The prompt's first and last sentence, in the language they ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

LOCALE = r"[A-Za-z]{2,8}(?:[-_@][A-Za-z0-9]{2,8})*"
"""A locale's name without its encoding: `de`, `pt_BR`, `zh-Hant-TW`, `sr_RS@latin`."""
TRADITIONAL = frozenset({"hant", "hk", "mo", "tw"})
"""Scripts and regions whose Chinese is written in traditional characters."""


class Anchors(NamedTuple):
    """What holds a model to a language: who it is, told first, and how it writes, told last."""

    identity: str
    output: str


def locale(text: str) -> str:
    """The locale's name without its encoding; empty if it names no language, as `C` does."""
    name = text.partition(".")[0]
    return name if name != "POSIX" and re.fullmatch(LOCALE, name) else ""


def anchors(name: str) -> Anchors:
    """The sentences for a locale, by its name; English ones that name it where its language is not known."""
    language, *more = re.split("[-_@]", name.casefold())
    if language == "zh" and not TRADITIONAL.isdisjoint(more):
        language = "zh-hant"
    return _KNOWN.get(language) or Anchors(
        f"{_ENGLISH.identity} The person's locale is {name}.",
        f"Write everything, reasoning too, in the language of the locale {name}; "
        "leave code, commands and file content as they are.",
    )


_ENGLISH = Anchors(
    "You are fsm-agent, a coding agent at work in a person's terminal and repository.",
    "Write everything, reasoning too, in English; leave code, commands and file content as they "
    "are.",
)
_KNOWN: Mapping[str, Anchors] = MappingProxyType(
    {
        "de": Anchors(
            "Du bist fsm-agent, ein Programmieragent, der im Terminal und im Repository eines "
            "Menschen arbeitet.",
            "Schreibe alles auf Deutsch, auch deine Überlegungen; lass Code, Befehle und den "
            "Inhalt von Dateien, wie sie sind.",
        ),
        "en": _ENGLISH,
        "es": Anchors(
            "Eres fsm-agent, un agente de programación que trabaja en la terminal y el repositorio "
            "de una persona.",
            "Escribe todo en español, también tu razonamiento; deja tal cual el código, los "
            "comandos y el contenido de los archivos.",
        ),
        "fr": Anchors(
            "Tu es fsm-agent, un agent de programmation qui travaille dans le terminal et le dépôt "
            "d'une personne.",
            "Écris tout en français, ton raisonnement aussi ; laisse tels quels le code, les "
            "commandes et le contenu des fichiers.",
        ),
        "it": Anchors(
            "Sei fsm-agent, un agente di programmazione che lavora nel terminale e nel repository "
            "di una persona.",
            "Scrivi tutto in italiano, anche il ragionamento; lascia come sono il codice, i "
            "comandi e il contenuto dei file.",
        ),
        "ja": Anchors(
            "あなたは fsm-agent、利用者の端末とリポジトリで働くコーディングエージェントです。",
            "推論も含め、すべて日本語で書いてください。コード、コマンド、ファイルの内容は"
            "そのままにしてください。",
        ),
        "ko": Anchors(
            "당신은 사용자의 터미널과 저장소에서 일하는 코딩 에이전트 fsm-agent입니다.",
            "추론을 포함한 모든 글을 한국어로 쓰고, 코드와 명령, 파일 내용은 그대로 두세요.",
        ),
        "pt": Anchors(
            "Você é o fsm-agent, um agente de programação que trabalha no terminal e no "
            "repositório de uma pessoa.",
            "Escreva tudo em português, também o raciocínio; deixe o código, os comandos e o "
            "conteúdo dos arquivos como estão.",
        ),
        "ru": Anchors(
            "Ты — fsm-agent, агент-программист, который работает в терминале и репозитории "
            "человека.",
            "Пиши всё на русском языке, включая рассуждения; код, команды и содержимое файлов "
            "оставляй как есть.",
        ),
        "zh": Anchors(
            "你是 fsm-agent，一个在用户的终端和代码仓库中工作的编程智能体。",
            "所有内容（包括思考过程）都用简体中文书写；代码、命令和文件内容保持原样。",
        ),
        "zh-hant": Anchors(
            "你是 fsm-agent，一個在使用者的終端機和程式碼儲存庫中工作的程式設計代理。",
            "所有內容（包括思考過程）都用繁體中文書寫；程式碼、命令和檔案內容保持原樣。",
        ),
    }
)
