// Comparison of names. This file has no imports, because pages in browsers use it too.

/**
 * Version of `foldText`. An index that stores folded texts stores this number too, and folds them again when it differs.
 */
export const FOLD_VERSION = 1

/**
 * A text for search and for the order of names: without case, marks (é, ö, が) and compatibility forms (full width,
 * ligatures). Two texts that fold to the same may be different names, so nothing is written because of it: compare
 * names with `foldCase`.
 *
 * @example foldText('Amélie') === foldText('AMELIE')
 * @example foldText('Straße') // 'strasse'
 */
export function foldText(text: string): string {
  // Titles are mostly ASCII, and this is called for each row of a library.
  if (ASCII.test(text)) return text.toLowerCase()
  return withoutCase(text.normalize('NFKD').replaceAll(MARKS, ''))
}

/** The words of a search, folded; each must occur in the folded text. */
export function searchWords(text: string | null | undefined): readonly string[] {
  return foldText(text ?? '')
    .split(/\s+/u)
    .filter((word) => word !== '')
}

/** A title for a lenient search: as `foldText`, without punctuation. Empty if no letter or digit is left. */
export function looseTitle(title: string): string {
  return foldText(title)
    .replace(/['\u2018\u2019`\u00b4]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/**
 * A name without case, for equality: marks stay, because `pêche` and `péché` are two words. Equal for all ways to write
 * one name in upper and lower case, in any script.
 *
 * @example foldCase('STRASSE') === foldCase('Straße')
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // A change of case may compose or decompose letters.
  return withoutCase(text.normalize('NFC')).normalize('NFC')
}

const ASCII = /^[\u0000-\u007f]*$/
const MARKS = /\p{M}+/gu

/**
 * Lower case alone keeps `ß` and `ss`, `ς` and `σ` apart, and upper case alone `ẞ` and `SS`. JavaScript has no case
 * folding of Unicode (CaseFolding.txt); lower, upper, lower is the same for letters that have a case.
 */
function withoutCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}
