// The two registry files, and which of them a plugin belongs in.
import { mkdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { RegistryEntry } from '@playhead/sdk'
import { changeRegistry, readRegistries, type RegisteredPlugin } from '../host/load/registry.ts'
import type { Cli } from './command.ts'

const OWNER_ONLY = 0o700

export interface RegistryPlaces {
  /** Plugins that ship with Playhead. */
  readonly bundled: string
  /** Plugins of the user, in the data directory. */
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

/** True for folders of the repository's plugins; the data directory may lie in the repository and is not part of it. */
export function isShipped({ root }: Pick<Cli, 'root'>, folder: string): boolean {
  return folder.startsWith(join(root, 'plugins') + sep)
}

export async function knownPlugins(
  cli: Pick<Cli, 'root' | 'dataDirectory'>,
): Promise<{ readonly plugins: readonly RegisteredPlugin[]; readonly problems: readonly Error[] }> {
  const { bundled, user, packages } = placesOf(cli)
  return readRegistries({ bundledRegistry: bundled, userRegistry: user, packages })
}

/** Changes the entry of one plugin; null takes it out. The file is changed in one step, or not at all. */
export async function changeEntry(
  file: string,
  id: string,
  change: (entry: RegistryEntry | undefined) => RegistryEntry | null,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY })
  await changeRegistry(file, (plugins) => {
    const others = plugins.filter((other) => other.id !== id)
    const entry = change(plugins.find((other) => other.id === id))
    return entry === null ? others : [...others, entry].sort((a, b) => (a.id < b.id ? -1 : 1))
  })
}

/** A folder as it is written in a registry: relative to the file where it lies near, so that both can move together. */
export function sourceOf(file: string, folder: string): string {
  const path = relative(dirname(file), folder).split(sep).join('/')
  if (path.startsWith('../../..')) return folder
  return path.startsWith('../') ? path : `./${path}`
}
