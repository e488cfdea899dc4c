// Type checks a plugin's folder, wherever it is.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, relative, resolve } from 'node:path'
import type { Cli } from '../command.ts'

const LIMIT_MS = 120_000
const MAX_SHOWN = 20

/** The modules of the SDK by the names that plugins import. */
async function sdkPaths(sdk: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { name, exports } = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string>>
  }
  return Object.fromEntries(
    Object.entries(exports).map(([entry, file]) => [posix.join(name, entry), [join(sdk, file)]]),
  )
}

/**
 * Throws the errors in the plugin's own files, one per line.
 * @param pages absolute paths of browser files: they use the DOM instead of Node
 */
export async function checkTypes(
  { root }: Pick<Cli, 'root'>,
  directory: string,
  pages: readonly string[] = [],
): Promise<readonly string[]> {
  const compiler = join(root, 'node_modules', 'typescript', 'lib', 'tsc.js')
  if (!existsSync(compiler)) return ['not checked: TypeScript is not installed here']
  const sources = (await readdir(directory, { recursive: true })).filter(
    (name) => /\.m?tsx?$/.test(name) && !/(^|[/\\])node_modules[/\\]/.test(name),
  )
  if (sources.length === 0) return ['not checked: there are no TypeScript files']

  const folder = await mkdtemp(join(tmpdir(), 'playhead-types-'))
  try {
    const files = sources.map((name) => join(directory, name))
    const projects = [
      {
        files: files.filter((file) => !pages.includes(file)),
        options: { typeRoots: [join(root, 'node_modules', '@types')] },
      },
      {
        files: files.filter((file) => pages.includes(file)),
        options: { lib: ['esnext', 'dom', 'dom.iterable'], types: [], jsx: 'react-jsx' },
      },
    ].filter((project) => project.files.length > 0)
    const mistakes: string[] = []
    for (const [index, { files: own, options }] of projects.entries()) {
      const project = join(folder, `tsconfig-${index}.json`)
      await writeFile(
        project,
        JSON.stringify({
          extends: join(root, 'tsconfig.json'),
          // An external plugin resolves the SDK and test packages from here.
          compilerOptions: {
            // Plugins are bundled, so package.json need not declare the module type.
            module: 'preserve',
            moduleResolution: 'bundler',
            paths: { ...(await sdkPaths(join(root, 'sdk'))), '*': [join(root, 'node_modules', '*')] },
            ...options,
          },
          files: own,
          include: [],
        }),
      )
      mistakes.push(
        ...(await run(compiler, project))
          .filter((line) => own.includes(fileOf(line, folder) ?? ''))
          .map((line) => shorten(line, folder, directory)),
      )
    }
    if (mistakes.length > 0) {
      throw new Error(
        [
          ...mistakes.slice(0, MAX_SHOWN),
          ...(mistakes.length > MAX_SHOWN ? [`and ${mistakes.length - MAX_SHOWN} more`] : []),
        ].join('\n'),
      )
    }
    return [`${sources.length} ${sources.length === 1 ? 'file' : 'files'}`]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function run(compiler: string, project: string): Promise<readonly string[]> {
  return new Promise((done, reject) => {
    execFile(
      process.execPath,
      [compiler, '--noEmit', '--pretty', 'false', '-p', project],
      { timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024, cwd: resolve(project, '..') },
      (error, output) => {
        if (error !== null && (error.killed === true || output === ''))
          reject(new Error('TypeScript could not be run.', { cause: error }))
        else done(output.split('\n').filter((line) => line.trim() !== ''))
      },
    )
  })
}

const MISTAKE = /^(.+?)(\(\d+,\d+\): error .*)$/

// Errors in other files are not the plugin's, for example in server code whose types a page imports.
function fileOf(line: string, folder: string): string | undefined {
  const file = MISTAKE.exec(line)?.[1]
  return file === undefined ? undefined : resolve(folder, file)
}

function shorten(line: string, folder: string, directory: string): string {
  const [, file = '', rest = ''] = MISTAKE.exec(line) ?? []
  return relative(directory, resolve(folder, file)) + rest
}
