"""The look of a session's page; nothing in it comes from outside."""

from __future__ import annotations

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p class="facts">{facts}</p>
</header>
<main>
{turns}
</main>
</body>
</html>
"""
STYLE = """\
:root {
  --paper: #fdfcfa; --ink: #23262b; --quiet: #6b7079; --line: #e3e1dc; --card: #f5f3ef;
  --person: #e9eefb; --accent: #3457b2; --good: #1c7a45; --bad: #b3261e;
  --added: #e2f4e6; --removed: #fbe6e4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181c; --ink: #dfe1e5; --quiet: #9197a1; --line: #2d3138; --card: #1e2126;
    --person: #222c45; --accent: #8fa8ee; --good: #6ccb8f; --bad: #f28b82;
    --added: #1a3325; --removed: #402322;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 5rem; max-width: 52rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word;
}
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .25rem; }
.facts, .news, .thinking, summary .aside, footer { color: var(--quiet); font-size: .85rem; }
.facts { margin: 0; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.25rem; }
.turn { padding: 1.75rem 0 1rem; border-bottom: 1px solid var(--line); }
.person {
  background: var(--person); border-radius: .75rem; padding: .7rem 1rem; margin: 0 0 1.25rem;
  white-space: pre-wrap;
}
.person .when { float: right; margin-left: 1rem; }
.when { color: var(--quiet); font-size: .75rem; font-variant-numeric: tabular-nums; }
.answer { margin: 1rem 0; }
.answer > :first-child { margin-top: 0; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: .6rem; }
details.thinking { border-style: dashed; }
summary { cursor: pointer; padding: .45rem .8rem; list-style-position: inside; }
summary:focus-visible { outline: 2px solid var(--accent); border-radius: .6rem; }
summary code { font-weight: 600; }
summary .aside { float: right; }
details[open] > summary { border-bottom: 1px solid var(--line); }
details > :not(summary) { margin: .6rem .8rem; }
.thinking > div { white-space: pre-wrap; }
.failed > summary code { color: var(--bad); }
pre, code { font: .84rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--card); border-radius: .5rem; padding: .7rem .9rem; overflow-x: auto; }
pre.output { max-height: 24rem; overflow-y: auto; }
:not(pre) > code { background: var(--card); border-radius: .25rem; padding: .1em .3em; }
summary code { background: none !important; padding: 0 !important; }
pre span { display: block; min-height: 1.5em; }
.added { background: var(--added); } .removed { background: var(--removed); }
.place { color: var(--accent); }
.label { color: var(--quiet); font-size: .75rem; margin-bottom: -.4rem !important; }
.news { margin: .6rem 0; } .bad { color: var(--bad); } .good { color: var(--good); }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .3rem .6rem; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
a { color: var(--accent); }
footer { margin-top: .9rem; }
"""
