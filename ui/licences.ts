// Collects the licences of all packages in the bundle into one text file.
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Metafile } from 'esbuild'

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i

/** @param directory base of the paths in the metafile */
export async function licencesOf({ inputs }: Metafile, directory: string): Promise<string> {
  const folders = new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []))
  const texts = await Promise.all([...folders].map((folder) => describe(resolve(directory, folder))))
  return [...new Set(texts)].sort().join(`\n${'-'.repeat(80)}\n\n`)
}

async function describe(folder: string): Promise<string> {
  const {
    name,
    version,
    license = 'not stated',
  } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const file = (await readdir(folder)).find((entry) => LICENCE_FILE.test(entry))
  const text = file === undefined ? '' : `\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
  return `${name} ${version}: ${license}\n${text}`
}
