// Determines which shipped plugins still have the sources that they were built from. The proof is their contents. A start
// that proved all of them notes the metadata of the files, so that the next start looks at these instead of reading a
// thousand files; a copy, a checkout or another layer of an image changes them, and the contents are read again.
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../../built.js'
import { replaceFile } from '../../storage/atomic-file.ts'

/** A change within the same step of the file system's clock as an earlier one has the same times. */
const SETTLED_MS = 2_000

interface Sources {
  readonly sources: readonly string[]
  readonly sourcesHash: string
}

interface ProvenSources {
  /** True if its files have the contents of the build. Only the first call for an id may use the note. */
  has(id: string): boolean
  /** Resolves when the note is written. */
  settled(): Promise<void>
}

interface ProofOptions {
  readonly root: string
  /** The file of the note. */
  readonly note: string
  /** The build that the note is for. */
  readonly build: string
  readonly settledMs?: number
}

export function createProvenSources(
  { root, note, build, settledMs = SETTLED_MS }: ProofOptions,
  plugins: Readonly<Record<string, Sources>>,
): ProvenSources {
  // Before any contents are read: a change in between is seen by the next start.
  const metadata = metadataOf(
    root,
    Object.values(plugins).flatMap(({ sources }) => sources),
    Date.now() - settledMs,
  )
  const text = `${build} ${metadata}`
  const isNoted = metadata !== null && readIfThere(note) === text
  const unproven = new Set(Object.keys(plugins))
  let writing = Promise.resolve()

  return {
    has(id) {
      const entry = plugins[id]
      if (entry === undefined) return false
      if (isNoted && unproven.delete(id)) return true
      const isSame = isOfContents(root, entry)
      if (isSame && unproven.delete(id) && unproven.size === 0 && metadata !== null)
        writing = replaceFile(note, text).then(
          () => {},
          // The next start reads the contents.
          () => {},
        )
      return isSame
    },
    settled: () => writing,
  }
}

function isOfContents(root: string, { sources, sourcesHash }: Sources): boolean {
  try {
    return hashOf(root, sources) === sourcesHash
  } catch {
    return false
  }
}

/** Null if a file is missing, or was changed just now. */
function metadataOf(root: string, files: readonly string[], beforeMs: number): string | null {
  try {
    let text = ''
    for (const file of files) {
      const { ino, size, mtimeMs, ctimeMs } = statSync(join(root, file))
      if (ctimeMs > beforeMs) return null
      text += `${file} ${ino} ${size} ${mtimeMs} ${ctimeMs}\n`
    }
    return hash('sha256', text)
  } catch {
    return null
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
