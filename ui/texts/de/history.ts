import type { history as englishHistory } from '../en/history.ts'
import type { Translation } from '../language.ts'

export const history: Translation<typeof englishHistory> = {
  title: 'Verlauf',
  intro: 'Alles, was du gesehen hast, bei allen Diensten.',
  label: 'Wiedergaben',
  shown: '{n, plural, one {# Wiedergabe} other {# Wiedergaben}}',
  search: 'Titel oder Folge suchen',
  kind: 'Art',
  allKinds: 'Alle Arten',
  kinds: { movie: 'Filme', episode: 'Folgen' },
  account: 'Dienst',
  allAccounts: 'Alle Dienste',
  from: 'Von',
  to: 'Bis',
  duplicates: 'Nur doppelte',
  clear: 'Filter löschen',
  none: 'Noch nichts gesehen',
  noneText: 'Wiedergaben erscheinen hier nach einem Sync oder wenn etwas gescrobbelt wird.',
  noMatch: 'Keine passenden Wiedergaben',
  noMatchText: 'Lösche die Filter, um alle zu sehen.',
  today: 'Heute',
  yesterday: 'Gestern',
  noTime: 'Uhrzeit unbekannt',
  twice: '{n, plural, one {# doppelte} other {# doppelte}}',
  twiceText: '{service} hat diese Wiedergabe {n} Mal',
  untitled: 'Ohne Titel',
}
