// Plans of changes to accounts are applied in one place.
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'

const PLUGINS = join(import.meta.dirname, '../../../plugins')
/** The apply family of the library, called or picked from its type. */
const FAMILY =
  /(?<!\bactions\.)\b(?:applyWhenFree|planTarget)\b|\blibrary(?:\(\))?\??\.(?:plan|apply|outcomes|tally)\(|\bLIBRARY\)\??\.(?:plan|apply|outcomes|tally)\(|LibraryService>?, [^>]*'(?:plan|apply|outcomes|tally)'/
const WRITERS = ['services/actions', 'services/sync']

t.test('only actions and the sync itself plan and apply changes to accounts', async (t) => {
  const found = new Set<string>()
  let count = 0
  for await (const file of glob('**/*.ts', { cwd: PLUGINS })) {
    count += 1
    if (FAMILY.test(await readFile(join(PLUGINS, file), 'utf8'))) found.add(file.split('/').slice(0, 2).join('/'))
  }
  t.ok(count > 500)
  t.same([...found].toSorted(), WRITERS)
})
