// `plugin submit`: examines a plugin as the directory does, and writes its entry and its archive.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readCatalogue } from '../../packages/catalogue.ts'
import { CATALOGUE_KEYS } from '../../packages/catalogue-keys.ts'
import type { Command } from '../command.ts'
import { examineFolder } from '../directory/examine.ts'
import { openIsolation } from '../directory/isolated.ts'
import { openPluginFolder } from './folder.ts'

export const pluginSubmit: Command = {
  name: 'plugin submit',
  summary: 'examines a plugin for the directory, and writes its entry',
  usage: '<folder> [--out <folder>]',
  words: ['folder'],
  options: { out: { type: 'string' } },
  help: `
In processes of their own, without a network beyond this machine:
  pack          as "plugin pack", which checks it
  conformance   as "plugin test", against its own stand-in
  tests         its index.test.ts
Then it prints what people will be asked to accept, the level that the version reaches, and what the next one asks for; the
guide for authors lists the levels. It writes <id>.json, the entry, and the archive that the entry names.
  --out   the folder of both; without it, the current one

Example:
  npm run playhead -- plugin submit ~/playhead-plugins/hello`,
  async run(cli, { words: [folder = ''], options }) {
    const plugin = await openPluginFolder(resolve(cli.workingDirectory, folder))
    const out = resolve(cli.workingDirectory, typeof options['out'] === 'string' ? options['out'] : '.')
    // The requests are compared with those of the version that ships in the list; a first one has none.
    const list = await readFile(join(cli.root, 'plugins', 'directory', 'catalogue.json'))
      .then((file) => readCatalogue(file, CATALOGUE_KEYS, Date.now()))
      .catch(() => null)
    await using isolation = await openIsolation(cli.root)
    cli.print(`${plugin.manifest.id} is examined in ${isolation.kind}.`)
    const { entry, version, archive } = await examineFolder(plugin.directory, {
      isolation,
      author: 'unknown',
      date: new Date().toISOString().slice(0, 10),
      print: cli.print,
      known: list?.plugins.find(({ id }) => id === plugin.manifest.id),
    })
    await mkdir(out, { recursive: true })
    const file = join(out, `${entry.id}.json`)
    await writeFile(file, `${JSON.stringify({ ...entry, versions: [version] }, null, 2)}\n`)
    await writeFile(join(out, version.archive?.file ?? ''), archive)
    cli.print(`Wrote ${file} and ${version.archive?.file}: ${version.level}.`)
  },
}
