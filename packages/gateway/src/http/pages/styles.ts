/**
 * How the gateway's own pages look: as the console does (its `ui/theme.ts`), light and dark, from 320 px on. Contrast of all text is
 * at least 4.5 to 1.
 */
export const STYLES = `
:root {
  --paper: #f6f7f9; --card: #ffffff; --ink: #000000; --soft: #545b66; --line: #dee2e6; --edge: #868e96;
  --act: #1971c2; --act-ink: #ffffff; --link: #1971c2; --bad: #a1161f; --bad-paper: #fdeeee; --good-paper: #eaf5ee;
  --good: #14603a; --warn-paper: #fff6e0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181c; --card: #242424; --ink: #dee0e3; --soft: #a9b0bb; --line: #424242; --edge: #828282;
    --act: #1971c2; --act-ink: #ffffff; --link: #74c0fc; --bad: #ffb3b3; --bad-paper: #3a1d20; --good-paper: #17301f;
    --good: #9fdcb8; --warn-paper: #33290f;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; background: var(--paper); color: var(--ink); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; }
main {
  width: 100%; max-width: 26rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 32px 28px;
}
main p { margin: 0 0 16px; }
.brand { display: flex; align-items: center; gap: 10px; font-weight: 700; }
main > .brand { margin-bottom: 24px; }
h1 { overflow-wrap: anywhere; font-size: 1.5rem; font-weight: 650; line-height: 1.35; margin: 0 0 16px; }
h2 { font-size: 1rem; margin: 20px 0 8px; }
label { display: block; font-weight: 600; margin: 0 0 16px; }
label small, .hint { display: block; font-weight: 400; font-size: 0.875rem; color: var(--soft); }
label.check { display: flex; gap: 10px; align-items: flex-start; font-weight: 400; }
input:not([type='hidden'], [type='checkbox'], [type='radio']) {
  display: block; width: 100%; margin-top: 4px; padding: 10px 12px; font: inherit; font-weight: 400; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: 8px;
}
input[type='checkbox'], input[type='radio'] { margin: 5px 0 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
button, .button {
  overflow-wrap: anywhere;
  display: block; width: 100%; padding: 11px 16px; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; color: var(--act-ink); background: var(--act); border: 1px solid transparent;
  border-radius: 8px; cursor: pointer; margin: 0 0 12px;
}
button.second, .button.second { color: var(--ink); background: transparent; border-color: var(--edge); }
a { color: var(--link); }
.problem, .notice { padding: 10px 12px; border-radius: 8px; }
.problem { color: var(--bad); background: var(--bad-paper); }
.notice { color: var(--good); background: var(--good-paper); }
.or { display: flex; align-items: center; gap: 12px; color: var(--soft); font-size: 0.875rem; }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
pre { overflow: auto; max-height: 24rem; margin: 0 0 16px; padding: 12px; font-size: 0.8125rem; border: 1px solid var(--line); border-radius: 8px; }
fieldset { border: 0; margin: 0 0 4px; padding: 0; }
legend { font-weight: 600; padding: 0; margin: 0 0 8px; }
ul.tools { margin: 0 0 16px; padding: 0 0 0 20px; }
ul.tools small { display: block; color: var(--soft); overflow-wrap: anywhere; }
label.check { margin: 0 0 10px; }
.warning { padding: 10px 12px; border-radius: 8px; border: 1px solid var(--edge); background: var(--warn-paper); }
section { border-top: 1px solid var(--line); padding: 4px 0 8px; }
section > .hint { margin: 0 0 12px; overflow-wrap: anywhere; }
.account { border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin: 0 0 12px; }
.account p { margin: 0 0 8px; }
.account > .button:last-child, main > p:last-child { margin-bottom: 0; }
.account small { display: block; color: var(--soft); overflow-wrap: anywhere; }
.account .good { color: var(--good); }
.account .bad { color: var(--bad); font-weight: 600; }
summary { cursor: pointer; color: var(--link); margin: 0 0 8px; }
strong { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(6rem, auto) 1fr; gap: 4px 12px; margin: 0 0 16px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
pre {
  margin: 0 0 16px; padding: 10px 12px; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  border: 1px solid var(--line); border-radius: 8px; background: var(--paper); font-size: 0.875rem;
  font-family: ui-monospace, Menlo, Consolas, monospace;
}
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
`
