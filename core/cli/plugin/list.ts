// `plugin list`: registered plugins of both registries.
import { readManifest, type RegisteredPlugin } from '../../host/load/registry.ts'
import { openPackages } from './package-review.ts'
import type { Command } from '../command.ts'
import { knownPlugins } from './registry-file.ts'

export const pluginList: Command = {
  name: 'plugin list',
  summary: 'shows all plugins that are registered',
  usage: '',
  help: `
Shows id, version, kind, whether the plugin is on, where it comes from, and its folder; below that, what is wrong with the
registry files or a manifest. How plugins fare in a running Playhead is shown on its Plugins page.

Example:
  npm run playhead -- plugin list`,
  async run(cli) {
    const { plugins, problems } = await knownPlugins(cli)
    const described = await Promise.all(plugins.map(describe))
    const rows = [['ID', 'VERSION', 'KIND', 'STATE', 'FROM', 'FOLDER'], ...described.map(({ row }) => row)]
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
    if (plugins.length === 0)
      cli.print('No plugin is registered. Make one with: npm run playhead -- plugin new service hello')
    else
      for (const row of rows)
        cli.print(
          row
            .map((cell, column) => cell.padEnd(widths[column] ?? 0))
            .join('  ')
            .trimEnd(),
        )
    for (const { id, staged, rolledBack } of await openPackages(cli)
      .list()
      .catch(() => [])) {
      if (staged !== null)
        cli.print(`${id} ${staged.version} waits for a review: npm run playhead -- plugin accept ${id}`)
      if (rolledBack !== null) cli.print(`${id} ${rolledBack.version} was rolled back: ${rolledBack.reason}`)
    }
    for (const problem of [
      ...problems.map(({ message }) => message),
      ...described.flatMap(({ problem: its }) => its ?? []),
    ])
      cli.print(`! ${problem}`)
  },
}

async function describe({
  id,
  directory,
  enabled,
  origin,
  package: npm,
}: RegisteredPlugin): Promise<{ readonly row: readonly string[]; readonly problem?: string }> {
  const from = origin === 'bundled' ? 'Playhead' : npm === null ? 'you' : 'npm'
  try {
    const { version, kind } = await readManifest(directory, id)
    return { row: [id, version, kind, enabled ? 'on' : 'off', from, directory] }
  } catch (error) {
    return { row: [id, '-', '-', 'broken', from, directory], problem: (error as Error).message }
  }
}
