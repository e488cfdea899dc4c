// `plugin test`: runs the conformance kit over a provider plugin.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DefinedImporter, DefinedPlugin, PluginManifest } from '@playhead/sdk'
import type { ExampleFiles } from '@playhead/sdk/testing'
import { type Cli, CliError, type Command } from '../command.ts'
import { nearest } from '../nearest.ts'
import { openPluginFolder } from './folder.ts'

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
  const { kind, entry = 'index.ts' } = tested.manifest
  const kit = await import('@playhead/sdk/testing')
  const { default: plugin } = (await import(pathToFileURL(join(directory, entry)).href)) as { default: DefinedImporter }
  if (kind === 'exporter') return printChecks(tested, await kit.checkExporter(await kit.exporterOf(plugin)))
  const own = join(directory, 'conformance.ts')
  if (examples.length === 0 && !existsSync(own))
    throw new CliError(
      'name a file of the format with --example, or let conformance.ts export its texts by their names; without one only half of the checks say anything.',
    )
  const files = await Promise.all(examples.map(async (file) => [basename(file), await readFile(file, 'utf8')] as const))
  const example =
    examples.length > 0
      ? Object.fromEntries(files)
      : ((await import(pathToFileURL(own).href)) as { default: ExampleFiles }).default
  printChecks(tested, await kit.checkImporter(plugin, { example }))
}

async function testNotifier(tested: Tested, file: string): Promise<void> {
  const { manifest, directory } = tested
  if (!existsSync(file))
    throw new CliError(
      `${file} is missing. Its default export takes the address of a server and returns settings for it.`,
    )
  const kit = await import('@playhead/sdk/testing')
  const { default: plugin } = (await import(pathToFileURL(join(directory, manifest.entry ?? 'index.ts')).href)) as {
    default: DefinedPlugin
  }
  const { default: settings } = (await import(pathToFileURL(file).href)) as {
    default: (server: string) => Readonly<Record<string, unknown>>
  }
  await using host = await kit.createTestHost({ plugin, manifest })
  printChecks(tested, await kit.checkNotifier(host, { settings }))
}

interface ShownCheck {
  readonly id: string
  readonly title: string
  readonly ok: boolean
  readonly reason?: string
}

function printChecks({ cli, manifest: { id, version }, isJson }: Tested, checks: readonly ShownCheck[]): void {
  const points = checks.filter(({ ok }) => ok).length
  const passed = points === checks.length
  if (isJson)
    cli.print(
      JSON.stringify({ plugin: id, version, points, possible: checks.length, passed, results: checks }, null, 2),
    )
  else
    for (const { id: check, title, ok, reason } of checks)
      cli.print(`${ok ? 'ok   ' : 'FAIL '} ${check}  ${title}${reason === undefined ? '' : `\n      ${reason}`}`)
  if (!passed) throw new CliError(`${id} does not conform; the reasons are named above.`)
}

/** Adapters of bundled plugins are in the tests, beside the simulators. */
export function adapterOf(root: string, directory: string, id: string): string {
  const own = join(directory, 'conformance.ts')
  const shipped = join(root, 'test', 'conformance', 'adapters', `${id}.ts`)
  return [own, shipped].find((file) => existsSync(file)) ?? own
}
