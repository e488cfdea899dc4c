// Reads the output of a group with tap's own parser.
import type { Readable } from 'node:stream'
import { Parser } from 'tap-parser'
import { stringify } from 'tap-yaml'

export interface Results {
  readonly assertions: number
  /** One text per failed assertion: its file, the names of its tests, and tap's message. */
  readonly failures: readonly string[]
  /** Of all files. */
  readonly processorSeconds: number
  /** What each file took: seconds of processor time, memory of the process, name. */
  readonly files: readonly string[]
  /** The file that started last. */
  readonly lastFile: string | undefined
}

/** Resolves when the stream has ended. */
export async function readResults(stream: Readable): Promise<Results> {
  let assertions = 0
  let processorSeconds = 0
  let lastFile: string | undefined
  const failures: string[] = []
  const files: string[] = []

  const root = new Parser()
  watch(root, [])
  root.on('comment', (comment: string) => {
    const [, key, value = ''] = /^# (file|spent): (.*)\n$/.exec(comment) ?? []
    if (key === 'file') lastFile = value
    if (key !== 'spent') return
    files.push(value)
    processorSeconds += Number.parseFloat(value)
  })
  await new Promise<void>((resolve) => {
    root.on('complete', () => resolve())
    stream.pipe(root)
  })
  if (root.results?.ok === false && failures.length === 0)
    failures.push(`${lastFile}: ${root.results.bailout || 'the results are incomplete'}`)
  return { assertions, failures, processorSeconds, files, lastFile }

  function watch(parser: Parser, names: readonly string[]): void {
    parser.on('child', (child: Parser) => watch(child, [...names, child.name]))
    parser.on('assert', ({ ok, todo, skip, name, diag, tapError }) => {
      // The last line of a subtest repeats its own lines.
      assertions++
      if (ok || todo || skip) return
      const text = diag === null || diag === undefined ? (tapError ?? '') : stringify(diag)
      failures.push([`${lastFile}`, ...names, name].join(' > ') + `\n${text}`)
    })
  }
}
