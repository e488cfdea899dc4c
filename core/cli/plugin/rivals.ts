// Finds and disables plugins that provide the same as another one, for the command line.
import { rivalsOf as rivalsIn, type Identity, type Rival } from '../../host/load/rivals.ts'
import type { Cli } from '../command.ts'
import { changeEntry, filesOf, placesOf } from './registry-file.ts'

/** The other registered plugins that provide one of this plugin's capabilities or routes. */
export function rivalsOf(cli: Pick<Cli, 'root' | 'dataDirectory'>, manifest: Identity): Promise<readonly Rival[]> {
  return rivalsIn(filesOf(cli), manifest)
}

/** Switches plugins off, in the data directory. */
export async function switchOff(cli: Cli, rivals: readonly Rival[]): Promise<void> {
  for (const { id, token } of rivals) {
    await changeEntry(placesOf(cli).user, id, (entry) => ({ ...entry, id, enabled: false }))
    cli.print(`Switched off ${id}, which provides ${token} too.`)
  }
}
