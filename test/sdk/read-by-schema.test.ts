// Settings in other forms than their schema's: older names, text for numbers, missing members.
import { readAs, readBySchema, readInstance, readNumber, readProvider, readText, Type } from '@playhead/sdk'
import t from 'tap'

const Place = Type.Object({
  floor: Type.Integer({ default: 0, minimum: 0 }),
  name: readAs(Type.Optional(Type.String()), (value) => (value === undefined ? undefined : readText(value))),
})
const House = readAs(
  Type.Object(
    {
      rooms: readAs(Type.Array(Place, { default: [] }), (value) =>
        typeof value === 'string' ? value.split(',').map((name) => ({ name })) : value,
      ),
      cellar: Type.Optional(Place),
      heat: Type.Optional(Type.Number()),
      open: Type.Boolean({ default: true }),
      doors: Type.Record(Type.String(), Place, { default: {} }),
    },
    { patternProperties: { '^lamp_': Type.Boolean() } },
  ),
  (value) => ({ ...(value as object), rooms: (value as { flats?: unknown }).flats }),
)
const read = (value: object) => readBySchema(House, value)

t.test('an object gets the members of its schema, with their defaults', async (t) => {
  t.strictSame(read({}), { rooms: [], open: true, doors: {} })
  t.strictSame(read({ doors: { 'a\nb': { floor: '2' } }, lamp_1: true, lamp: true, __proto__: { heat: 1 } }), {
    rooms: [],
    open: true,
    doors: { 'a\nb': { floor: 2 } },
    lamp_1: true,
  })
  t.strictSame(read({ cellar: {}, open: null, heat: null }), { rooms: [], cellar: { floor: 0 }, open: true, doors: {} })
})

t.test('members are read after what reads the object, and items after what reads the list', async (t) => {
  t.match(read({ flats: 'hall, kitchen' }), {
    rooms: [
      { floor: 0, name: 'hall' },
      { floor: 0, name: 'kitchen' },
    ],
  })
})

t.test('wrong values stay, so that the schema rejects them, unless something else fits', async (t) => {
  const wrong = { flats: 7, heat: 'warm', open: 'yes', cellar: { floor: [] } }
  t.match(read(wrong), { rooms: 7, heat: 'warm', open: 'yes', cellar: { floor: [] } })
  t.match(
    readBySchema(House, wrong, (value, schema) => (schema.type === typeof value ? value : schema.default)),
    { rooms: [], heat: undefined, open: true, cellar: { floor: 0 } },
  )
})

t.test('a default is copied', async (t) => {
  const { rooms } = read({})
  rooms.push({ floor: 1 })
  t.match(read({}), { rooms: [] })
})

t.test('texts, numbers and ids as people write them', async (t) => {
  t.strictSame([' a ', 7, null, {}].map(readText), ['a', '7', '', ''])
  t.strictSame([' 7.5 ', 7, '', 'x', NaN, true, null].map(readNumber), [7.5, 7, ...Array(5)])
  t.strictSame([' mediaA', 7, undefined].map(readProvider), ['MEDIAA', '7', ''])
  t.strictSame([undefined, ' ', 'Default', 'mediaA-P01 '].map(readInstance), [
    'default',
    'default',
    'default',
    'MEDIAA-P01',
  ])
})
