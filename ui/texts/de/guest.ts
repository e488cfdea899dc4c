import type { guest as englishGuest } from '../en/guest.ts'
import type { Translation } from '../language.ts'

export const guest: Translation<typeof englishGuest> = {
  title: 'Bei {service} anmelden',
  text: 'Hallo {person}! Melde dich bei deinem eigenen Konto bei {service} an, dann hält Playhead es aktuell. Das Passwort bleibt bei {service}.',
  once: 'Dieser Link funktioniert einmal und für nichts anderes. Er läuft am {time} ab.',
  go: 'Bei {service} anmelden',
  again: 'Neuen Code holen',
  gone: {
    title: 'Dieser Link funktioniert nicht',
    text: 'Er wurde schon benutzt, ist abgelaufen oder wurde widerrufen. Bitte um einen neuen.',
  },
  over: {
    none: 'Der Code gilt nicht mehr.',
    expired: 'Der Code ist abgelaufen.',
    denied: 'Die Anmeldung wurde bei {service} abgelehnt.',
    failed: 'Die Anmeldung bei {service} hat nicht funktioniert.',
  },
  done: {
    title: 'Du bist angemeldet',
    text: 'Dein Konto bei {service} ist verbunden. Du kannst diese Seite schließen.',
  },
}
