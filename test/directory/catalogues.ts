// Lists and archives for tests, good ones and faulty ones.
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalogue, CatalogueEntry, CatalogueVersion } from '@playhead/sdk'
import { asksOf } from '../../core/packages/asks.ts'
import { publicText } from '../../core/packages/catalogue.ts'
import { packListed } from '../../core/packages/directory.ts'
import { openPluginFolder } from '../../core/packages/folders.ts'
import { sha512Of } from '../../core/packages/npm-registry.ts'
import { checkManifest } from '../../core/host/load/registry.ts'
import { pluginFiles, tarball } from '../packages/tarballs.ts'

export const DATE = '2026-11-20T10:00:00Z'
export const DAY = '2026-11-20'
export const NOW_MS = Date.parse('2026-11-30T12:00:00Z')

export type Signer = ReturnType<typeof createSigner>

/** A key pair; `file` signs any value. */
export function createSigner(name = 'test') {
  const { privateKey } = generateKeyPairSync('ed25519')
  const signatureOf = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64')
  return {
    name,
    keys: { [name]: publicText(privateKey) },
    signatureOf,
    file(body: unknown, edit: (envelope: any) => unknown = (envelope) => envelope): Buffer {
      const signed = typeof body === 'string' ? body : JSON.stringify(body)
      return Buffer.from(JSON.stringify(edit({ signed, signatures: [{ key: name, signature: signatureOf(signed) }] })))
    },
  }
}

export function catalogueOf(plugins: readonly unknown[], rest: Partial<Catalogue> = {}): Catalogue {
  return { format: 1, serial: 1, date: DATE, plugins: plugins as CatalogueEntry[], ...rest }
}

interface Made {
  readonly archive: Buffer
  readonly entry: CatalogueEntry
  readonly version: CatalogueVersion
}

interface Making {
  readonly id?: string
  readonly version?: string
  readonly manifest?: object
  readonly source?: string
  readonly entry?: Partial<CatalogueEntry>
  readonly listed?: Partial<CatalogueVersion>
}

function filesOf({ id = 'kettle', version = '1.0.0', manifest = {}, source }: Making): ReturnType<typeof pluginFiles> {
  return pluginFiles(
    { id, version, name: `playhead-plugin-${id}` },
    { manifest: { name: 'Kettle', ...manifest }, ...(source === undefined ? {} : { source }) },
  )
}

/** A plugin with its archive, and its entry with one version. */
export function makePlugin(making: Making = {}): Made {
  const { id = 'kettle', version = '1.0.0', entry, listed } = making
  const files = filesOf(making)
  const archive = tarball(files)
  const described = files.find(({ path }) => path === 'package/plugin.json')?.content as string
  const listing: CatalogueVersion = {
    ...{ version, date: DAY, api: '^1.0.0', changes: [], level: 'bronze', missing: [], conformance: null },
    asks: [...asksOf(checkManifest(JSON.parse(described), id))],
    archive: { file: `playhead-plugin-${id}-${version}.tgz`, sha512: sha512Of(archive), size: archive.length },
    ...listed,
  }
  return {
    archive,
    version: listing,
    entry: {
      ...{ id, name: 'Kettle', description: 'Boils water.', kind: 'service', author: 'Ann', license: 'MIT' },
      ...{ source: null, builtIn: false, versions: [listing] },
      ...entry,
    },
  }
}

/** Writes a plugin as a folder that ships with Playhead, and lists its version as the archive of the folder. */
export async function shipFolder(shipped: string, making: Making = {}): Promise<CatalogueEntry> {
  const { id = 'kettle', version = '1.0.0' } = making
  const { entry, version: listed } = makePlugin(making)
  const folder = join(shipped, id)
  await mkdir(folder, { recursive: true })
  for (const { path, content = '' } of filesOf(making))
    await writeFile(join(folder, path.replace('package/', '')), content)
  const archive = await packListed(await openPluginFolder(folder), listed.asks)
  const stored = { file: `playhead-plugin-${id}-${version}.tgz`, sha512: sha512Of(archive), size: archive.length }
  return { ...entry, versions: [{ ...listed, archive: stored }] }
}
