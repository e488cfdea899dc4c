// The XML reader: whole elements from pieces of any size, and mistakes that are noticed.
import t from 'tap'
import { createXmlReader, looksLikeXml, xmlChildren, xmlElement, xmlText } from '../../sdk/importer/xml.ts'

const LIBRARY = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE library [<!ENTITY big "<x/>">]>
<!-- <film>none</film> -->
<library version='1'>
  <film id="1" note='a > b'><title>Tom &amp; Jerry &#x2014; &#50;</title><empty/></film>
  <show><title><![CDATA[A <b> & "c"]]></title><film id="2"><title>Within</title></film></show>
</library>
`

function read(text: string, names?: readonly string[], size = text.length) {
  const reader = createXmlReader(names)
  const found = []
  for (let from = 0; from < text.length; from += size) found.push(...reader.feed(text.slice(from, from + size)))
  return { found, damaged: reader.isDamaged() }
}

t.test('elements are read whole, from pieces of any size', async (t) => {
  const { found, damaged } = read(LIBRARY)
  t.equal(damaged, false)
  t.match(found, [
    {
      name: 'film',
      attributes: { id: '1', note: 'a > b' },
      children: [
        { name: 'title', text: 'Tom & Jerry — 2' },
        { name: 'empty', text: '', children: [] },
      ],
    },
    { name: 'show', children: [{ text: 'A <b> & "c"' }, { name: 'film', attributes: { id: '2' } }] },
  ])
  for (const size of [1, 2, 3, 7, 64]) t.same(read(LIBRARY, undefined, size), { found, damaged }, `${size}`)
  t.equal(xmlText(found[0]!, 'title'), 'Tom & Jerry — 2')
  t.equal(xmlText(found[0]!, 'empty'), undefined)
  t.equal(xmlChildren(found[1]!, 'film').length, 1)
})

t.test('elements are found by name at any depth, but not within each other', async (t) => {
  t.same(
    read(LIBRARY, ['film']).found.map(({ attributes }) => attributes['id']),
    ['1', '2'],
  )
  t.same(
    read(LIBRARY, ['film', 'show']).found.map(({ name }) => name),
    ['film', 'show'],
  )
  t.same(
    read('<a><b>1</b></a>\n<a><b>2</b></a>\nhttps://example.org/1\n', ['a']),
    {
      found: [1, 2].map((n) => ({
        ...{ name: 'a', attributes: {}, text: '' },
        children: [{ name: 'b', attributes: {}, text: `${n}`, children: [] }],
      })),
      damaged: false,
    },
    'several roots, and a line after them',
  )
})

t.test('a file that breaks off or is not well-formed is noticed, and what is whole is kept', async (t) => {
  for (const [text, count] of [
    ['<a><b>1</b><b>2', 1],
    ['<a><b>1</b><b', 1],
    ['<a><b>1</b></c></a>', 1],
    ['<a><b><c>1</b></a>', 1],
    ['<a><b>1</b><!-- ', 1],
    [`<a>${'<x>'.repeat(200)}`, 0],
    [`<a><b ${'x'.repeat(2_000_000)}`, 0],
  ] as const) {
    const { found, damaged } = read(text)
    t.match([found.length, damaged], [count, true], text.slice(0, 20))
  }
  t.equal(read('<a><b>&unknown; &#0; &amp</b></a>').found[0]?.text, '&unknown; &#0; &amp', 'unknown entities stay')
})

t.test('a tag without end, and one of a single word, are read at once', async (t) => {
  const { found, damaged } = read(`<a><b ${'x'.repeat(900_000)}/><b x y="1" z=2 w = '3'/></a>`)
  t.same([damaged, found.map(({ attributes }) => attributes)], [false, [{}, { y: '1', w: '3' }]])
})

t.test('an element that is too large is left out, and the next one is read', async (t) => {
  const large = `${'y'.repeat(1_000_000)}<!-- -->`
  const many = '<x/>'.repeat(10_000)
  for (const [what, piece, count] of [
    ['text', large, 70],
    ['children', many, 110],
  ] as const) {
    const reader = createXmlReader()
    const found = [...reader.feed('<a><b>1</b><b>')]
    for (let n = 0; n < count; n += 1) found.push(...reader.feed(piece))
    found.push(...reader.feed('</b><b>3<c/></b></a>'))
    t.match([found, reader.isDamaged()], [[{ text: '1' }, { text: '3', children: [{ name: 'c' }] }], true], what)
    t.equal(found.length, 2)
  }
})

t.test('what is XML, and what is an element', async (t) => {
  for (const text of ['<?xml?>', '  <movie>', '\uFEFF<!-- x --><a/>']) t.ok(looksLikeXml(text), text)
  for (const text of ['', 'a<b>', '{"a":"<b>"}', '< b']) t.notOk(looksLikeXml(text), text)
  for (const value of [null, 5, 'x', [], {}, { name: 'a' }]) t.equal(xmlElement(value), undefined)
})
