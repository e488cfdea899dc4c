// `repair`: checks the databases of a stopped service and repairs damaged ones.
import { CliError, type Command } from './command.ts'

export const repair: Command = {
  name: 'repair',
  summary: 'checks all databases, and repairs those that are damaged',
  usage: '',
  help: `
For a service that does not start because a database is damaged. Stop Playhead first.

Example:
  npm run playhead -- repair --data /srv/playhead

A healthy file is made of what can be read, and used from the next start on. The damaged file is kept in
files/backups/damaged. A database of which nothing can be read is named: move it away, start, and restore a backup.`,
  async run({ dataDirectory, print }) {
    const { repairDirectory } = await import('../data/repair-directory.ts')
    const { checked, repaired, lost } = await repairDirectory(dataDirectory)
    for (const path of checked) print(`${path}: healthy`)
    for (const { path, way, tables, kept } of repaired) {
      const cut = tables.filter(({ complete }) => !complete).map(({ table }) => table)
      const what =
        way === 'indexes' || cut.length === 0 ? 'nothing is lost' : `rows of ${cut.join(', ')} could not be read`
      print(`${path}: repaired, ${what}; the damaged file is ${kept}`)
    }
    if (lost.length > 0)
      throw new CliError(
        `nothing can be read of ${lost.join(', ')}. Move ${lost.length === 1 ? 'it' : 'them'} out of ${dataDirectory}, start ` +
          'Playhead, and restore a backup.',
      )
    print(repaired.length === 0 ? 'Nothing had to be repaired.' : 'Next: start Playhead. It uses the repaired files.')
  },
}
