// The table of test/PROOFS.md: what `npm test` proves of each provider. The tests that make a column compare it with theirs.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Proof {
  readonly provider: string
  /** Two-way sync in the whole service, over HTTP. */
  readonly sync: string
  /** Sign-in, plan and run in a browser. */
  readonly browser: string
}

export async function readProofs(): Promise<readonly Proof[]> {
  const text = await readFile(join(import.meta.dirname, 'PROOFS.md'), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) => {
    const [, provider = '', , sync = '', browser = ''] = row.split('|').map((cell) => cell.trim())
    return { provider, sync, browser }
  })
}
