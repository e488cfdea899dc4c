// Finds ids that are not in their service's format, so that they match nothing.
import { type Ids, type IdScheme, PlayheadError } from '@playhead/sdk'
import { defineAnalyzer, type FixPlan, type FixRequest } from '@playhead/sdk/analyzer'

const FORMATS: readonly (readonly [scheme: IdScheme, format: RegExp, example: string])[] = [
  ['imdb', /^tt\d{5,}$/, 'tt0133093'],
  ['tmdb', /^\d+$/, '603'],
  ['tvdb', /^\d+$/, '81189'],
]

export default defineAnalyzer({
  label: 'Malformed IDs',
  problems: [
    {
      type: 'invalid_id_format',
      severity: 'warn',
      category: 'ids',
      meaning: 'An ID is not in the format of its service.',
      fix: 'The ID is replaced by its standard form.',
      fixFields: ['id_name', 'id_value', 'field'],
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'] },
  *inspect({ rows }) {
    for (const { key, item } of rows) {
      for (const [field, ids] of [
        ['ids', item.ids],
        ['show_ids', item.show_ids],
      ] as const) {
        if (ids === undefined) continue
        for (const [scheme, format, example] of FORMATS) {
          const value = ids[scheme]
          if (value === undefined || format.test(value)) continue
          yield {
            type: 'invalid_id_format',
            key,
            message: `The ${scheme} id "${value.slice(0, 80)}" is not one; expected for example ${example}.`,
            fields: { field, id_name: scheme, id_value: value.slice(0, 200) },
          }
        }
      }
    }
  },
  fix,
})

function fix({ row, fields }: FixRequest): FixPlan {
  const scheme = fields['id_name']
  const given = fields['id_value']
  const known = FORMATS.find(([name]) => name === scheme)
  if (known === undefined || (typeof given !== 'string' && typeof given !== 'number'))
    throw new PlayheadError('PLH_INVALID', 'Send "id_name" (imdb, tmdb or tvdb) and "id_value".', {
      wire: 'validation_failed',
    })
  const digits = /\d+/.exec(String(given))?.[0].replace(/^0+(?=\d)/, '')
  const value = digits === undefined ? undefined : known[0] === 'imdb' ? `tt${digits.padStart(7, '0')}` : digits
  if (value === undefined || !known[1].test(value))
    throw new PlayheadError('PLH_INVALID', `"${String(given).slice(0, 80)}" has no normal form as ${known[0]} id.`, {
      wire: 'validation_failed',
    })
  const field =
    fields['field'] === 'show_ids' || row.item.type === 'episode' || row.item.type === 'season' ? 'show_ids' : 'ids'
  const ids: Ids = { ...row.item[field], [known[0]]: value }
  return { changes: [`${field}.${known[0]}=${value}`], correct: { ...row.item, [field]: ids } }
}
