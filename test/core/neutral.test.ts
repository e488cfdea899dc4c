// The core contains no name of a service.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'

const CORE = join(import.meta.dirname, '../../core')
const NAMES =
  /\b\w*(?:media[a-c]|meta[a-c]|track[a-c]|plex|jellyfin|emby|trakt|tmdb|watchlist|scrobble|movie|film)\w*/gi
/** Names that the HTTP API fixes. */
const WIRE_NAMES = 'wire-names.ts'

t.test('no file of the core names a service, a feature or their data', async (t) => {
  const files = (await readdir(CORE, { recursive: true })).filter(
    (file) => /\.[jt]s$/.test(file) && file !== WIRE_NAMES,
  )
  t.ok(files.length > 100)
  for (const file of files) t.same((await readFile(join(CORE, file), 'utf8')).match(NAMES), null, file)
})
