// Marker files beside a video, where the service can see its folder.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { filterReason } from '../../../plugins/services/scrobble/filter/filter.ts'
import { createMarkers, markerNames } from '../../../plugins/services/scrobble/filter/markers.ts'
import { LANE, seen } from './support.ts'

const laneWith = (filters: Partial<typeof LANE.filters>) => ({ ...LANE, filters: { ...LANE.filters, ...filters } })

t.test('a marker beside the file excludes it, in its folder only and only for trusted paths', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'film'))
  await mkdir(join(folder, 'other'))
  await writeFile(join(folder, 'film', '.ignore-me'), '')
  await writeFile(join(folder, 'film', '.comingsoon'), '')
  const lane = laneWith({ ignored_marker_files: ['.nothing', '.ignore-me'] })
  const reasonOf = async (path: string, trusted = true, of = lane) => {
    const files = { paths: [path], editions: [], trusted }
    return filterReason(await createMarkers({ now: Date.now }).mark(seen({ files }), [of]), of)
  }
  t.equal(await reasonOf(join(folder, 'film', 'a.mkv')), 'marker_file:.ignore-me')
  t.equal(await reasonOf(join(folder, 'other', 'a.mkv')), undefined)
  t.equal(await reasonOf(join(folder, 'gone', 'a.mkv')), undefined)
  t.equal(await reasonOf(join(folder, 'film', 'a.mkv'), false), undefined, 'a path in a webhook could be any')
  t.equal(await reasonOf('film/a.mkv'), undefined)
  const placeholders = laneWith({ ignore_placeholder_trailers: true })
  t.equal(await reasonOf(join(folder, 'film', 'a.mkv'), true, placeholders), 'marker_file:.comingsoon')
})

t.test('names lead nowhere else, and a hanging folder delays nothing', async (t) => {
  t.same(markerNames([laneWith({ ignored_marker_files: ['../x', 'a/b', '..', '', 'c\\d', 'fine'] })]), ['fine'])
  let asked = 0
  const markers = createMarkers({
    now: Date.now,
    exists: () => {
      asked += 1
      return new Promise(() => {})
    },
  })
  const files = { paths: ['/share/film/a.mkv'], editions: [], trusted: true }
  const lane = laneWith({ ignored_marker_files: ['.x'] })
  const marked = await markers.mark(seen({ files }), [lane])
  await markers.mark(seen({ files }), [lane])
  t.same(marked.markers, [])
  t.equal(asked, 1)
})
