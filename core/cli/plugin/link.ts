// `plugin link`: links Playhead's packages into a cloned or copied plugin, so that its imports resolve.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CliError, type Command } from '../command.ts'
import { pluginAdd } from './add.ts'
import { openPluginFolder } from './folder.ts'
import { linkPackages } from './links.ts'
import { isShipped } from './registry-file.ts'

export const pluginLink: Command = {
  name: 'plugin link',
  summary: "links Playhead's SDK and Node into the folder of a plugin",
  usage: '<folder> [--add]',
  words: ['folder'],
  options: { add: { type: 'boolean' } },
  help: `
  --add   also registers the plugin from its folder, so that a Playhead that is running loads it, and what you save

A plugin that was cloned or copied has no node_modules. With the links its imports resolve, for Node and for editors, its types
are those of this Playhead, and "npm test" runs on the Node that Playhead brings. Packages of its own are installed with
"npm install", which removes the links: link it again afterwards. Nothing but node_modules is changed.

Example:
  git clone https://example.org/star-ratings.git ~/star-ratings
  npm run playhead -- plugin link ~/star-ratings
  cd ~/star-ratings && npm test`,
  async run(cli, { words: [folder = ''], options }) {
    const { directory, manifest } = await openPluginFolder(resolve(cli.workingDirectory, folder))
    if (isShipped(cli, directory))
      throw new CliError(`${manifest.id} is part of Playhead and finds its packages; only others are linked.`)
    const { linked, kept, missing } = await linkPackages(cli.root, directory)
    cli.print(`Linked ${manifest.name} ${manifest.version} (${manifest.id}) in ${directory}: ${linked.join(', ')}.`)
    if (kept.length > 0) cli.print(`Installed there, and kept: ${kept.join(', ')}.`)
    if (missing.length > 0)
      cli.print(`Not installed in ${cli.root}, so tests or editors may miss them: ${missing.join(', ')}.`)
    const { scripts, dependencies } = await readPackage(directory)
    const absent = Object.keys(dependencies).filter((name) => !existsSync(join(directory, 'node_modules', name)))
    if (absent.length > 0)
      cli.print(`It also needs ${absent.join(', ')}: run "npm install" in its folder, then link it again.`)
    if (options['add'] === true) await pluginAdd.run(cli, { words: [directory], options: {} })
    cli.print(`Next: cd ${directory} && ${scripts['test'] === undefined ? 'npx playhead plugin check .' : 'npm test'}`)
  },
}

interface Package {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

async function readPackage(directory: string): Promise<Package> {
  const text = await readFile(join(directory, 'package.json'), 'utf8').catch(() => '{}')
  try {
    const { scripts = {}, dependencies = {} } = JSON.parse(text) as Partial<Package>
    return { scripts, dependencies }
  } catch {
    throw new CliError(`${join(directory, 'package.json')} is not JSON.`)
  }
}
