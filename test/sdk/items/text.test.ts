// Folding of texts: one name found and compared in any case, with and without marks, in any script.
import fc, { stepOf } from '../../fast-check.ts'
import t from 'tap'
import { foldCase, foldText, searchWords } from '../../../sdk/items/text.ts'
import { blockName, blockNames } from '../../../sdk/items/blocks.ts'
import { compareItems, titleTokenOf } from '../../../sdk/items/tokens.ts'
import { movie } from './support.ts'

/** Each is one name. */
const SAME_NAMES = [
  ['Straße', 'STRASSE', 'STRAẞE', 'strasse'],
  ['İstanbul', 'ISTANBUL', 'istanbul', 'i\u0307stanbul'],
  ['ΟΔΟΣ', 'οδος', 'οδοσ'],
  ['ΟΔΥΣΣΕΥΣ', 'Οδυσσευς'],
]
const FOUND_NAMES = [
  ...SAME_NAMES,
  ['Amélie', 'AMELIE', 'Ame\u0301lie'],
  ['Ｆｕｌｌ', 'full'],
  ['ﬁn', 'FIN'],
  ['Ísland', 'island'],
  ['Ὀδύσσεια', 'ΟΔΥΣΣΕΙΑ'],
]

t.test('a name is found in any case, with and without marks', async (t) => {
  for (const [first, ...others] of FOUND_NAMES)
    for (const other of others) t.equal(foldText(other), foldText(first!), `${first} and ${other}`)
  t.same(searchWords('  Crème\u00a0BRÛLÉE '), ['creme', 'brulee'])
  t.same(searchWords(undefined), [])
})

t.test('a name equals itself in any case, and marks make another name', async (t) => {
  for (const [first, ...others] of SAME_NAMES.slice(0, 1).concat(SAME_NAMES.slice(2)))
    for (const other of others) t.equal(foldCase(other), foldCase(first!), `${first} and ${other}`)
  t.not(foldCase('pêche'), foldCase('péché'))
  t.equal(foldCase('Ame\u0301lie'), foldCase('AMÉLIE'))
})

t.test('folding twice is folding once, and neither case nor normal form matters, for every letter', async (t) => {
  const { step, first } = stepOf(1)
  // In upper case a subscript iota is a letter, which people leave out.
  const subscript = (letter: string) => letter.normalize('NFD').includes('\u0345')
  for (let code = 0x80 + first; code <= 0x1_ffff; code += step) {
    const letter = String.fromCodePoint(code)
    if (!letter.isWellFormed() || subscript(letter)) continue
    for (const fold of [foldText, foldCase]) {
      const folded = fold(letter)
      for (const same of [folded, letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD')])
        if (fold(same) !== folded) t.fail(`${fold.name} of U+${code.toString(16)}`)
    }
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      if (subscript(text)) return true
      return [foldText, foldCase].every(
        (fold) => fold(fold(text)) === fold(text) && fold(text.toUpperCase()) === fold(text),
      )
    }),
  )
})

t.test('a title and a block mean the title in any case', async (t) => {
  for (const [first, ...others] of [SAME_NAMES[0]!, SAME_NAMES[2]!]) {
    const item = movie({}, { title: first!, year: 1999 })
    for (const other of others) {
      t.equal(titleTokenOf({ ...item, title: other }), titleTokenOf(item), `${first} and ${other}`)
      t.equal(compareItems(item, { ...item, title: other }), 'same')
      t.ok(blockNames(item, false).includes(blockName(`title:${other}|year:1999`)!), `${other} blocks ${first}`)
    }
  }
  t.notOk(blockNames(movie({}, { title: 'péché', year: 1999 }), false).includes(blockName('title:pêche|year:1999')!))
})
