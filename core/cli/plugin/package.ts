// `plugin accept`, `discard`, `update` and `rollback`: for plugins from npm.
import { CliError, type Command } from '../command.ts'
import { openPackages, settle } from './package-review.ts'

const YES = { yes: { type: 'boolean', short: 'y' } } as const

export const pluginAccept: Command = {
  name: 'plugin accept',
  summary: 'shows what a fetched plugin asks for, and enables it',
  usage: '<id> [--yes]',
  words: ['id'],
  options: YES,
  help: `
  --yes   accepts without a question

Example:
  npm run playhead -- plugin accept hello

What is accepted is written down. A version that asks for more needs a new review; until then the old one stays live.`,
  async run(cli, { words: [id = ''], options }) {
    const packages = openPackages(cli)
    const staged = (await packages.list()).find((known) => known.id === id)?.staged
    if (staged == null) throw new CliError(`no version of "${id}" waits for a review.`)
    await settle(cli, packages, { state: 'review', review: staged }, options)
  },
}

export const pluginDiscard: Command = {
  name: 'plugin discard',
  summary: 'drops a fetched version that was not accepted',
  usage: '<id>',
  words: ['id'],
  help: `
Example:
  npm run playhead -- plugin discard hello`,
  async run(cli, { words: [id = ''] }) {
    await openPackages(cli).discard(id)
    cli.print(`The version of ${id} that waited for a review is gone.`)
  },
}

export const pluginUpdate: Command = {
  name: 'plugin update',
  summary: 'updates plugins from npm',
  usage: '[id[@range]] [--yes]',
  optionalWords: ['id'],
  options: YES,
  help: `
Without an id, all plugins from npm are updated. With a range, versions in it are taken from now on.
  --yes   accepts what a version asks for without a question

Examples:
  npm run playhead -- plugin update
  npm run playhead -- plugin update hello@^2

A version that asks for no more than the live one becomes live at once. If it does not start, or is taken out within ten
minutes, the version before it is live again; "plugin list" says why. Settings and what the plugin stored stay.`,
  async run(cli, { words: [word], options }) {
    const packages = openPackages(cli)
    if (word !== undefined) {
      const [id = '', ...range] = word.split('@')
      const result = await packages.stageUpdate(id, range.length === 0 ? undefined : range.join('@'))
      return settle(cli, packages, result, options)
    }
    const all = (await packages.list()).filter(({ version }) => version !== null)
    if (all.length === 0) cli.print('No plugin is installed from npm.')
    const failures: string[] = []
    for (const { id } of all) {
      try {
        await settle(cli, packages, await packages.stageUpdate(id), options)
      } catch (error) {
        failures.push(id)
        cli.print(`! ${id}: ${(error as Error).message}`)
      }
    }
    if (failures.length > 0) throw new CliError(`not updated: ${failures.join(', ')}; see above.`)
  },
}

export const pluginRollback: Command = {
  name: 'plugin rollback',
  summary: 'makes the previous version of a plugin from npm live again',
  usage: '<id>',
  words: ['id'],
  help: `
Settings and what the plugin stored stay. The newer version is kept: rolling back again returns to it.

Example:
  npm run playhead -- plugin rollback hello`,
  async run(cli, { words: [id = ''] }) {
    const { version, previous } = await openPackages(cli).rollBack(id)
    cli.print(`${id} is ${version} again. ${previous} is kept.`)
  },
}
