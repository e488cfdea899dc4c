// Sittings of a playback log become viewings.
import t from 'tap'
import { viewingsOf } from '../../../sdk/items/sittings.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const RULES = { usualMs: 100 * MINUTE, leastMs: 5 * MINUTE, leastPart: 0.8 }
const at = (hours: number, minutes: number) => ({ startMs: hours * HOUR, playedMs: minutes * MINUTE })
const shapes = (sittings: ReturnType<typeof at>[], rules: object = {}) =>
  viewingsOf(sittings, { ...RULES, ...rules }).map(({ sittings: own, playedMs }) => [own.length, playedMs / MINUTE])

t.test('a film that was paused overnight is one viewing', async (t) => {
  t.same(shapes([at(20, 70), at(44, 50)], { lengthMs: 120 * MINUTE }), [[2, 120]])
  t.same(shapes([at(44, 50), at(20, 70), at(20, 70)], { lengthMs: 120 * MINUTE }), [[2, 120]], 'in any order, once')
  t.same(shapes([at(20, 60), at(44, 55)]), [[2, 115]], 'also without a known length')
})

t.test('the same film on the next evening is another viewing', async (t) => {
  t.same(shapes([at(20, 115), at(44, 118)], { lengthMs: 120 * MINUTE }), [
    [1, 115],
    [1, 118],
  ])
  t.same(shapes([at(8, 90), at(12, 90), at(32, 88)]), [
    [1, 90],
    [1, 90],
    [1, 88],
  ])
})

t.test('a look after the end belongs to the viewing only at once', async (t) => {
  t.same(shapes([at(20, 112), at(22, 6)], { lengthMs: 120 * MINUTE }), [[2, 118]])
  t.same(shapes([at(20, 112), at(44, 6)], { lengthMs: 120 * MINUTE }), [[1, 112]])
})

t.test('glances and abandoned films are no viewings', async (t) => {
  t.same(shapes([at(20, 40)], { lengthMs: 120 * MINUTE }), [])
  t.same(
    shapes([at(20, 40), at(200, 118)], { lengthMs: 120 * MINUTE }),
    [[1, 118]],
    'a film is not continued a week later',
  )
  t.same(shapes([at(1, 3)]), [])
  t.same(shapes([at(1, 20), at(200, 110)]), [[1, 110]], 'much shorter than the longest')
  t.same(shapes([]), [])
})
