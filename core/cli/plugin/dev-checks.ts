// The checks that `plugin dev` runs after a save: code and types, tests, the conformance kit.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import type { Cli } from '../command.ts'
import { compileAll } from './check.ts'
import { checkTypes } from './check-types.ts'
import type { PluginFolder } from './folder.ts'

const LIMIT_MS = 300_000
const MAX_LINES = 30

/** Returns the files with their sizes, or throws the errors, one per line with file and position. */
export async function checkCode(cli: Cli, plugin: PluginFolder): Promise<string> {
  const { pages } = await compileAll(plugin)
  const [found = ''] = await checkTypes(cli, plugin.directory, pages)
  return found
}

/** Runs `npm test`, or the test files if the plugin has no such script. */
export async function runTests(cli: Cli, { directory }: PluginFolder, signal: AbortSignal): Promise<string> {
  const text = await readFile(join(directory, 'package.json'), 'utf8').catch(() => '{}')
  const { scripts } = JSON.parse(text) as { scripts?: { test?: string } }
  if (scripts?.test !== undefined) {
    await run(cli, directory, 'npm', ['test'], signal)
    return 'npm test'
  }
  const tests = (await readdir(directory)).filter((name) => /\.test\.m?[jt]s$/.test(name))
  for (const name of tests) await run(cli, directory, process.execPath, [name], signal)
  return tests.length === 0 ? 'there are none' : tests.join(', ')
}

/** Null for kinds without a kit, or without conformance.ts. */
export async function runConformance(
  cli: Cli,
  { directory, manifest }: PluginFolder,
  signal: AbortSignal,
): Promise<string | null> {
  const isSetUp =
    manifest.kind === 'exporter' ||
    (['provider', 'notifier', 'importer'].includes(manifest.kind) && existsSync(join(directory, 'conformance.ts')))
  if (!isSetUp) return null
  const program = join(cli.root, 'core', 'cli', 'index.ts')
  const output = await run(cli, directory, process.execPath, [program, 'plugin', 'test', directory], signal)
  return output.trim().split('\n').at(-1)?.trim() ?? ''
}

/** Throws with the end of the output if the program fails. */
function run(cli: Cli, cwd: string, program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const { PATH = '' } = cli.variables
  const env = {
    ...(cli.variables as NodeJS.ProcessEnv),
    PATH: [join(cwd, 'node_modules', '.bin'), dirname(process.execPath), PATH].join(delimiter),
  }
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...args],
      { cwd, env, signal, timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 },
      (error, output, errors) => {
        if (error === null) return resolve(output)
        const lines = `${output}\n${errors}`.split('\n').filter((line) => line.trim() !== '')
        // Extracts the failures from TAP output.
        const failed = lines.findIndex((line) => /^\s*not ok |^\s*FAIL /.test(line))
        const shown = failed === -1 ? lines.slice(-MAX_LINES) : lines.slice(failed, failed + MAX_LINES)
        reject(new Error(shown.join('\n') || error.message))
      },
    )
  })
}
