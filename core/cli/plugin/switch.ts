// `plugin enable` and `plugin disable`.
import type { Command } from '../command.ts'
import { unknownPlugin } from './remove.ts'
import { knownPlugins, placesOf, changeEntry } from './registry-file.ts'

export const pluginEnable = switching(
  'enable',
  true,
  'switches a plugin on',
  'A Playhead that is running loads it within a moment.',
)
export const pluginDisable = switching(
  'disable',
  false,
  'switches a plugin off',
  'A Playhead that is running unloads it within a moment, after what is under way has ended. Its settings and data stay.',
)

function switching(word: string, enabled: boolean, summary: string, next: string): Command {
  return {
    name: `plugin ${word}`,
    summary,
    usage: '<id>',
    words: ['id'],
    help: `
The choice is kept in the data directory, also for plugins that ship with Playhead, and outlives updates.

Example:
  npm run playhead -- plugin ${word} hello

${next}`,
    async run(cli, { words: [id = ''] }) {
      const { plugins } = await knownPlugins(cli)
      if (!plugins.some((known) => known.id === id)) throw unknownPlugin(id, plugins)
      await changeEntry(placesOf(cli).user, id, (entry) => ({ ...entry, id, enabled }))
      cli.print(`${id} is ${enabled ? 'on' : 'off'}. ${next}`)
    },
  }
}
