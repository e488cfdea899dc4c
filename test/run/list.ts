// Lists the test files, with the marks in their first lines.
import { open, glob } from 'node:fs/promises'
import { join } from 'node:path'

export interface TestFile {
  readonly path: string
  /** Size of the source in bytes, as an estimate of the duration. */
  readonly size: number
  /** Why it is not part of `npm test`. */
  readonly slow?: string | undefined
  /** Why it cannot share a process. */
  readonly alone?: string | undefined
}

// Plugins of the directory bring their tests with them.
const TESTS = ['test/**/*.test.ts', 'plugins/directory/**/*.test.ts']
// Example plugins have their own tests, which run in their folders.
const STRANGERS = 'test/plugins-outside/*/**'
const MARK = /^\/\/ (slow|alone): (.+)$/gm

/** All test files, or the named files and folders. Throws for a name without a test. */
export async function listTests(root: string, chosen: readonly string[] = []): Promise<TestFile[]> {
  const all = (await Array.fromAsync(glob(TESTS, { cwd: root, exclude: [STRANGERS, '**/node_modules/**'] }))).sort()
  const names = chosen.map((name) => name.replace(/^\.\//, '').replace(/\/$/, ''))
  const missing = names.filter((name) => !all.some((path) => isIn(path, name)))
  if (missing.length > 0) throw new Error(`No test file is named ${missing.join(' or ')}, or lies there.`)
  const paths = names.length === 0 ? all : all.filter((path) => names.some((name) => isIn(path, name)))
  return Promise.all(paths.map((path) => readMarks(root, path)))
}

function isIn(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`)
}

async function readMarks(root: string, path: string): Promise<TestFile> {
  await using file = await open(join(root, path))
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1_000), position: 0 })
  const head = buffer.toString('utf8', 0, bytesRead)
  const marks = Object.fromEntries(Array.from(head.matchAll(MARK), ([, mark, why]) => [mark, why]))
  return { path, size: (await file.stat()).size, slow: marks['slow'], alone: marks['alone'] }
}
