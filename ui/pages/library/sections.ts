// The sections of the library: letters, years, months and ratings.
import type { ScrubberSection } from '../../parts/lists/scrubber.tsx'
import { library as texts } from '../../texts/en/library.ts'
import { locale } from '../../texts/language.ts'
import { SORTS, type Filters } from './filters.ts'
import type { TitlePage } from './use-pages.ts'

const MONTH = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const YEAR_LENGTH = 4

export function sectionsOf(sections: TitlePage['sections'], sort: Filters['sort']): readonly ScrubberSection[] {
  let year = ''
  return (sections ?? []).map(({ label, offset }) => {
    if (label === null) return { name: texts.without[SORTS[sort].sort], mark: '', offset }
    const isMonth = label.includes('-')
    const name = isMonth ? MONTH.format(new Date(`${label}-01T00:00:00Z`)) : label
    const mark = isMonth ? label.slice(0, YEAR_LENGTH) : label
    const isSame = isMonth && mark === year
    year = mark
    return { name, mark: isSame ? '' : mark, offset }
  })
}
