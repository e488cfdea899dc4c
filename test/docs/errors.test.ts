// The page of error codes and the registry agree.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ERRORS } from '../../sdk/errors.ts'

t.test('every code is documented with its status and wire name, and no other code is', async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/errors.md'), 'utf8')
  const documented = new Map(
    [...page.matchAll(/^\| `(PLH_[A-Z_]+)` \| (\d+) \| `([a-z_]+)` \| (.+) \|$/gm)].map(
      ([, code, status, wire, meaning]) => [code, { status: Number(status), wire, meaning }],
    ),
  )
  t.same([...documented.keys()].toSorted(), Object.keys(ERRORS).toSorted())
  for (const [code, { status, wire }] of Object.entries(ERRORS)) {
    t.match(documented.get(code), { status, wire }, code)
    t.ok((documented.get(code)?.meaning?.length ?? 0) > 10, `${code} is explained`)
  }
})
