// `plugin check`: validates a plugin without running it in the service.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { compilePlugin, integrityOf, type CompiledPlugin } from '../../host/load/compile.ts'
import { compilePages } from '../../host/load/compile-pages.ts'
import { readTexts, TEXTS_FOLDER } from '../../host/show/texts.ts'
import { CliError, type Cli, type Command } from '../command.ts'
import { checkTypes } from './check-types.ts'
import { describeNeeds, openPluginFolder, type PluginFolder } from './folder.ts'
import { adapterOf, EXAMPLE_FILE, examineImporter, linesOf, notShown } from './test.ts'

export const pluginCheck: Command = {
  name: 'plugin check',
  summary: 'checks a plugin: manifest, code, types, and a run in the test host',
  usage: '<folder>',
  words: ['folder'],
  help: `
Looks at, in this order:
  manifest   plugin.json is valid and fits this version of the SDK
  texts      texts/<language>.json, if there are any, have a text with the same {places} for each English text
  code       it compiles, and imports only its own files, packages and @playhead/sdk
  run        it starts with empty settings in the test host; what it registers is what plugin.json declares
  exercise   of a provider: its stand-in shows every kind of every feature that it declares; the others are named.
             Of an importer: the checks of "plugin test" pass with the example of its conformance.ts
  types      TypeScript finds no mistake (where TypeScript is installed)
Then it prints what the plugin may reach and its checksum, as "plugin add --pin" would note it.
The plugin's code is run. Check only what you would also run.

Example:
  npm run playhead -- plugin check plugins/services/hello

Exit code 0 when all is well, 1 otherwise.`,
  async run(cli, { words: [folder = ''] }) {
    const plugin = await openPluginFolder(resolve(cli.workingDirectory, folder))
    const { manifest, directory } = plugin
    const compiled: { value?: Checked } = {}
    let failed = 0
    const step = async (name: string, work: () => Promise<readonly string[]>): Promise<void> => {
      try {
        const [first = '', ...notes] = await work()
        cli.print(`ok    ${name.padEnd(9)} ${first}`)
        for (const note of notes) cli.print(`      ${''.padEnd(9)} ${note}`)
      } catch (error) {
        failed += 1
        const [first, ...more] = (error as Error).message.split('\n')
        cli.print(`FAIL  ${name.padEnd(9)} ${first}`)
        for (const line of more) cli.print(`      ${''.padEnd(9)} ${line}`)
      }
    }

    await step('manifest', async () => [
      `${manifest.id} ${manifest.version}, ${manifest.kind}, for SDK ${manifest.api}`,
    ])
    const languages = await languagesOf(directory)
    if (languages.length > 0)
      await step('texts', async () => {
        for (const language of languages) await readTexts(directory, language)
        return [languages.join(', ')]
      })
    await step('code', async () => {
      compiled.value = await compileAll(plugin)
      const own = compiled.value.inputs.map((input) => relative(directory, input))
      return [
        `${own.length} ${own.length === 1 ? 'file' : 'files'}, ${Math.ceil(compiled.value.code.length / 1024)} KB compiled`,
      ]
    })
    const code = compiled.value?.code
    if (code !== undefined) await step('run', async () => (await import('./try-out.ts')).tryOut({ ...plugin, code }))
    if (manifest.kind === 'provider' && code !== undefined && failed === 0)
      await step('exercise', () => exercised(cli, plugin))
    if (manifest.kind === 'importer' && code !== undefined && failed === 0)
      await step('exercise', () => examined(plugin))
    await step('types', () => checkTypes(cli, directory, compiled.value?.pages ?? []))
    for (const line of describeNeeds(manifest)) cli.print(`      ${line}`)
    if (compiled.value !== undefined)
      cli.print(`      integrity: ${await integrityOf(directory, compiled.value.inputs)}`)
    finish(cli, manifest.id, failed)
  },
}

async function languagesOf(directory: string): Promise<readonly string[]> {
  const names = await readdir(join(directory, TEXTS_FOLDER)).catch(() => [])
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
}

/** Features that the provider's stand-in does not show; "plugin test" cannot check them. */
async function exercised(cli: Cli, { manifest, directory }: PluginFolder): Promise<readonly string[]> {
  const adapter = adapterOf(cli.root, directory, manifest.id)
  if (!existsSync(adapter))
    return ['no conformance.ts: "plugin test" cannot look at what it does; docs/reference/conformance.md says how']
  const kit = await import('@playhead/sdk/testing/conformance')
  const missing = await kit.unexercised(await kit.openSubject({ folder: directory, adapter }))
  return missing.length === 0
    ? ['its stand-in shows every kind of every feature; "plugin test" looks at what it does with them']
    : ['declared, and never exercised by its stand-in:', ...missing]
}

/** The checks of an importer take a moment, so they are run here. Throws the failures, each with what to change. */
async function examined(plugin: PluginFolder): Promise<readonly string[]> {
  if (!existsSync(join(plugin.directory, EXAMPLE_FILE)))
    return [
      `no ${EXAMPLE_FILE}: let it export the texts of a file of the format by their names, as { 'export.csv': '…' }`,
    ]
  const { checks, unexercised } = await examineImporter(plugin)
  const failures = checks.filter(({ ok }) => !ok)
  if (failures.length > 0)
    throw new Error([`${failures.length} of ${checks.length} checks`, ...failures.flatMap(linesOf)].join('\n'))
  return unexercised.length === 0
    ? [`its example has rows of every feature, and all ${checks.length} checks pass`]
    : notShown(unexercised)
}

interface Checked extends CompiledPlugin {
  /** Browser files. */
  readonly pages: readonly string[]
}

/** Compiles the plugin and its pages. Throws with file and line. */
export async function compileAll({ manifest, directory }: PluginFolder): Promise<Checked> {
  const { id, entry = 'index.ts', ui } = manifest
  const code = await compilePlugin({ id, directory, entry, cacheDirectory: null })
  const pages = await compilePages({ id, directory, ui, cacheDirectory: null })
  const browsers = (pages?.inputs ?? []).filter((file) => !code.inputs.includes(file))
  return { ...code, inputs: [...code.inputs, ...browsers], pages: browsers }
}

function finish(cli: Cli, id: string, failed: number): void {
  if (failed > 0) throw new CliError(`${id} has ${failed === 1 ? 'a mistake' : `${failed} mistakes`}; see above.`)
  cli.print(`${id} is fine.`)
}
