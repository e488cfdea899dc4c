// `start`: the service in this process, as `npm start` runs it.
import type { Command } from './command.ts'

export const start: Command = {
  name: 'start',
  summary: 'starts Playhead',
  usage: '[--safe] [--dev]',
  options: { safe: { type: 'boolean' }, dev: { type: 'boolean' } },
  help: `
  --safe   loads no plugin, so that one that stops the service from starting can be found and switched off
  --dev    for work on plugins that ship: loads them again whenever their files change, with a shorter drain

Examples:
  npm run playhead -- start
  npm run playhead -- start --safe --data /srv/playhead

The address is printed when it is up. Ctrl-C stops it after what is under way has ended.
Plugins that were added are loaded again whenever their files change; the service need not be started again for that.`,
  async run({ dataDirectory }, { options }) {
    process.env['PLAYHEAD_DATA_DIR'] = dataDirectory
    const { runPlayhead } = await import('../start.ts')
    await runPlayhead({ safe: options['safe'] === true, dev: options['dev'] === true })
  },
}
