// The two registry files, and which one a plugin belongs to.
import { mkdir } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { RegistryEntry } from '@playhead/sdk'
import { changeRegistry, readRegistries, type RegisteredPlugin, type RegistryFiles } from '../../host/load/registry.ts'
import { type Cli, CliError } from '../command.ts'

const OWNER_ONLY = 0o700

interface RegistryPlaces {
  /** Bundled plugins. */
  readonly bundled: string
  /** The user's plugins, in the data directory. */
  readonly user: string
  /** Where npm packages of the user's plugins are installed. */
  readonly packages: string
}

export function placesOf({ root, dataDirectory }: Pick<Cli, 'root' | 'dataDirectory'>): RegistryPlaces {
  return {
    bundled: join(root, 'plugin-registry.json'),
    user: join(dataDirectory, 'plugin-registry.json'),
    packages: join(dataDirectory, 'plugins', 'installed'),
  }
}

/** True for the repository's plugins; a data directory inside the repository does not count. */
export function isShipped({ root }: Pick<Cli, 'root'>, folder: string): boolean {
  return folder.startsWith(join(root, 'plugins') + sep)
}

export async function knownPlugins(
  cli: Pick<Cli, 'root' | 'dataDirectory'>,
): Promise<{ readonly plugins: readonly RegisteredPlugin[]; readonly problems: readonly Error[] }> {
  return readRegistries(filesOf(cli))
}

export function filesOf(cli: Pick<Cli, 'root' | 'dataDirectory'>): RegistryFiles {
  const { bundled, user, packages } = placesOf(cli)
  return { bundledRegistry: bundled, userRegistry: user, packages }
}

/** Changes a plugin's entry atomically; null removes it. */
export async function changeEntry(
  file: string,
  id: string,
  change: (entry: RegistryEntry | undefined) => RegistryEntry | null,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY })
  await changeRegistry(file, (plugins) => {
    const others = plugins.filter((other) => other.id !== id)
    const before = plugins.find((other) => other.id === id)
    const entry = change(before)
    // The entry holds the version that returns when development ends.
    if (before?.development !== undefined && entry?.development === undefined)
      throw new CliError(
        `its author works on "${id}" in this service (plugin dev --url). End that first; the previous version then returns.`,
      )
    return entry === null ? others : [...others, entry].sort((a, b) => (a.id < b.id ? -1 : 1))
  })
}
