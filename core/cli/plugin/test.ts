// `plugin test`: runs the conformance kit over a provider plugin.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DefinedImporter, DefinedPlugin, PluginManifest } from '@playhead/sdk'
import type { ExampleFiles } from '@playhead/sdk/testing'
import { type Cli, CliError, type Command } from '../command.ts'
import { nearest } from '../nearest.ts'
import { openPluginFolder, type PluginFolder } from './folder.ts'

export const pluginTest: Command = {
  name: 'plugin test',
  summary: 'checks what a provider, exporter, importer or notifier does',
  usage:
    '<folder> [--adapter <file>] [--example <file>]… [--only <group>] [--items <number>] [--seed <number>] [--strict] [--json] [--badge <file>]',
  words: ['folder'],
  options: {
    adapter: { type: 'string' },
    example: { type: 'string', multiple: true },
    only: { type: 'string' },
    items: { type: 'string' },
    seed: { type: 'string' },
    strict: { type: 'boolean' },
    json: { type: 'boolean' },
    badge: { type: 'string' },
  },
  help: `
Signs the plugin in at a stand-in of its service and looks at what it does: sign-ins, reads and writes that go well and that
go wrong, limits, profiles, cancelling, loading again, secrets, hosts. Each check that passes gives points; those that say
nothing about this service are left out, with the reason.

  --adapter  the file that plays the service; without it, conformance.ts in the plugin's folder
  --example  for an importer: a file of its format, or one of the files of its archive, several times; without it, what
             conformance.ts exports: texts by the names of files
  --only     the checks of one group, or a single one: reads, damage, writes, reads.complete, …
  --items    rows of the checks that read many; without it 2600
  --seed     of the check that writes in many orders: another number tries others; without it 1
  --strict   what the plugin declares and no check exercised is a failure, too
  --json     the report as JSON instead of the table
  --badge    writes the points as an SVG to this file
The plugin's code is run. Test only what you would also run.

Examples:
  npm run playhead -- plugin test sdk/templates/provider
  npm run playhead -- plugin test ~/playhead-plugins/my-server --only writes

Exit code 0 when every check that applies passes, 1 otherwise.`,
  async run(
    cli,
    { words: [folder = ''], options: { adapter: named, example, only, items, seed, strict, json, badge } },
  ) {
    const { directory, manifest } = await openPluginFolder(resolve(cli.workingDirectory, folder))
    if (manifest.kind === 'exporter' || manifest.kind === 'importer') {
      const examples = (Array.isArray(example) ? example : []).map((file) =>
        resolve(cli.workingDirectory, String(file)),
      )
      return testFormat({ cli, manifest, directory, isJson: json === true }, examples)
    }
    if (manifest.kind === 'notifier') {
      const file = typeof named === 'string' ? resolve(cli.workingDirectory, named) : join(directory, 'conformance.ts')
      return testNotifier({ cli, manifest, directory, isJson: json === true }, file)
    }
    if (manifest.kind !== 'provider')
      throw new CliError(
        `${manifest.id} is ${manifest.kind === 'service' ? 'a' : 'an'} ${manifest.kind}; only providers, exporters, importers and notifiers can be tested.`,
      )
    // Loaded on demand: it includes a test server and a database.
    const kit = await import('@playhead/sdk/testing/conformance')
    const known = [...kit.GROUPS, ...kit.CHECKS.map(({ id }) => id)]
    if (typeof only === 'string' && !known.includes(only)) {
      const suggestion = nearest(only, known)
      throw new CliError(
        `there is no group or check "${only}".${suggestion === null ? '' : ` Did you mean "${suggestion}"?`} Groups: ${kit.GROUPS.join(', ')}.`,
      )
    }
    if (typeof items === 'string' && !/^[1-9]\d{1,6}$/.test(items))
      throw new CliError(`--items is a number of rows, at least 10; "${items}" is none.`)
    if (typeof seed === 'string' && !/^\d{1,9}$/.test(seed))
      throw new CliError(`--seed is a whole number; "${seed}" is none.`)
    const adapter =
      typeof named === 'string' ? resolve(cli.workingDirectory, named) : adapterOf(cli.root, directory, manifest.id)
    const subject = await kit
      .openSubject({
        folder: directory,
        adapter,
        ...(typeof items === 'string' ? { items: Number(items) } : {}),
        ...(typeof seed === 'string' ? { seed: Number(seed) } : {}),
      })
      .catch((error: unknown) => {
        throw new CliError(error instanceof Error ? error.message : String(error))
      })
    const report = await kit.runConformance(subject, typeof only === 'string' ? { only } : {})
    if (json === true) cli.print(JSON.stringify(report, null, 2))
    else for (const line of kit.tableOf(report)) cli.print(line)
    if (typeof badge === 'string') await writeFile(resolve(cli.workingDirectory, badge), kit.badgeOf(report))
    if (report.passed && strict === true && (report.unexercised?.length ?? 0) > 0)
      throw new CliError(`${manifest.id} declares features that were never exercised; they are listed above.`)
    if (!report.passed) throw new CliError(`${manifest.id} does not conform; the points lost are named above.`)
  },
}

interface Tested {
  readonly cli: Cli
  readonly manifest: PluginManifest
  readonly directory: string
  readonly isJson: boolean
}

async function testFormat(tested: Tested, examples: readonly string[]): Promise<void> {
  const { directory } = tested
  const { kind } = tested.manifest
  if (kind === 'exporter') {
    const kit = await import('@playhead/sdk/testing')
    return printChecks(tested, await kit.checkExporter(await kit.exporterOf(await pluginIn(tested))))
  }
  if (examples.length === 0 && !existsSync(join(directory, EXAMPLE_FILE)))
    throw new CliError(
      `name a file of the format with --example, or let ${EXAMPLE_FILE} export its texts by their names; without one only half of the checks say anything.`,
    )
  const { checks, unexercised } = await examineImporter(tested, examples)
  printChecks(tested, checks, unexercised)
}

/** The example of an importer: texts by the names of files. */
export const EXAMPLE_FILE = 'conformance.ts'

/** @param examples paths of files; without any, the example is that of the folder */
export async function examineImporter(
  folder: Pick<PluginFolder, 'directory' | 'manifest'>,
  examples: readonly string[] = [],
): Promise<{ readonly checks: readonly ShownCheck[]; readonly unexercised: readonly string[] }> {
  const kit = await import('@playhead/sdk/testing')
  const plugin = (await pluginIn(folder)) as DefinedImporter
  const files = await Promise.all(examples.map(async (file) => [basename(file), await readFile(file, 'utf8')] as const))
  const example =
    examples.length > 0
      ? Object.fromEntries(files)
      : ((await import(pathToFileURL(join(folder.directory, EXAMPLE_FILE)).href)) as { default: ExampleFiles }).default
  const checks = await kit.checkImporter(plugin, { example })
  const isRead = checks.every(({ ok }) => ok)
  return { checks, unexercised: isRead ? await kit.unexercisedFeatures(plugin, { example }) : [] }
}

async function pluginIn({ directory, manifest }: Pick<PluginFolder, 'directory' | 'manifest'>): Promise<DefinedPlugin> {
  const file = pathToFileURL(join(directory, manifest.entry ?? 'index.ts'))
  return ((await import(file.href)) as { readonly default: DefinedPlugin }).default
}

async function testNotifier(tested: Tested, file: string): Promise<void> {
  const { manifest } = tested
  if (!existsSync(file))
    throw new CliError(
      `${file} is missing. Its default export takes the address of a server and returns settings for it.`,
    )
  const kit = await import('@playhead/sdk/testing')
  const plugin = await pluginIn(tested)
  const { default: settings } = (await import(pathToFileURL(file).href)) as {
    default: (server: string) => Readonly<Record<string, unknown>>
  }
  await using host = await kit.createTestHost({ plugin, manifest })
  printChecks(tested, await kit.checkNotifier(host, { settings }))
}

export interface ShownCheck {
  readonly id: string
  readonly title: string
  readonly ok: boolean
  readonly reason?: string
  readonly remedy?: string
}

function printChecks(
  { cli, manifest: { id, version }, isJson }: Tested,
  checks: readonly ShownCheck[],
  unexercised: readonly string[] = [],
): void {
  const points = checks.filter(({ ok }) => ok).length
  const passed = points === checks.length
  if (isJson)
    cli.print(
      JSON.stringify(
        { plugin: id, version, points, possible: checks.length, passed, unexercised, results: checks },
        null,
        2,
      ),
    )
  else {
    for (const line of unexercised.length === 0 ? [] : notShown(unexercised)) cli.print(line)
    for (const check of checks) for (const line of linesOf(check)) cli.print(line)
    cli.print(`${points} of ${checks.length} checks pass.`)
  }
  if (!passed) throw new CliError(`${id} does not conform; the reasons are named above.`)
}

/** Features of an importer that its example has no row of. */
export function notShown(features: readonly string[]): readonly string[] {
  return [
    `offered, and without a row in the example: ${features.join(', ')}`,
    'What to change: add a record of each to the example, or take it out of `features`.',
  ]
}

/** A check of `printChecks`, with what to change if it failed. */
export function linesOf({ id, title, ok, reason, remedy }: ShownCheck): readonly string[] {
  return [
    `${ok ? 'ok   ' : 'FAIL '} ${id}  ${title}`,
    ...(reason === undefined ? [] : [`      ${reason}`]),
    ...(remedy === undefined ? [] : [`      What to change: ${remedy}`]),
  ]
}

/** Adapters of bundled plugins are in the tests, beside the simulators. */
export function adapterOf(root: string, directory: string, id: string): string {
  const own = join(directory, 'conformance.ts')
  const shipped = join(root, 'test', 'conformance', 'adapters', `${id}.ts`)
  return [own, shipped].find((file) => existsSync(file)) ?? own
}
