// Writes the table of all hooks and bus events: `node sdk/generate-hook-table.ts`.
import { writeFileSync } from 'node:fs'
import { BUS_EVENTS, HOOK_TABLE } from './hook-table.ts'

export const HOOK_TABLE_FILE = new URL('../docs/reference/hooks.md', import.meta.url)

const KINDS = {
  notify: 'is notified; its result is ignored',
  waterfall: 'may return a changed value for the next tap',
  bail: 'may answer; the first answer counts',
  collect: 'answers; all answers are collected',
  review: 'judges; a failed tap is distinguished from a silent one',
} as const

const json = (value: unknown) => `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``

export function hookTable(): string {
  return [
    '# Hooks and events',
    '',
    'Made by `node sdk/generate-hook-table.ts` of `sdk/hook-table.ts`.',
    '',
    'A plugin taps a hook with `ctx.tap(HOOK, name, run)`; the constants with their types are in `@playhead/sdk`. It listens to an event with',
    '`ctx.events.on(\'run.*\', listener)`. A failing tap or listener does not affect others. Rules for hooks of a run: sdk/README.md, "Hooks of a run".',
    '',
    '## Kinds of hooks',
    '',
    '| Kind | A tap |',
    '|---|---|',
    ...Object.entries(KINDS).map(([kind, what]) => `| \`${kind}\` | ${what} |`),
    '',
    '## Hooks',
    '',
    '| Hook | Kind | When | Payload, for example | Answer, for example |',
    '|---|---|---|---|---|',
    ...HOOK_TABLE.map(({ hook: { name, kind }, when, input, answer }) =>
      `| \`${name}\` | ${kind} | ${when} | ${json(input)} | ${answer === undefined ? '' : json(answer)} |`.replace(
        '|  |',
        '| |',
      ),
    ),
    '',
    '## Events of the bus',
    '',
    '| Event | When | `data`, for example |',
    '|---|---|---|',
    ...Object.entries(BUS_EVENTS).map(([name, { when, example }]) => `| \`${name}\` | ${when} | ${json(example)} |`),
    '',
  ].join('\n')
}

if (import.meta.main) writeFileSync(HOOK_TABLE_FILE, hookTable())
