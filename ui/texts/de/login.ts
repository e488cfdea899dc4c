import type { Translation } from '../language.ts'
import type { login as englishLogin } from '../en/login.ts'

export const login: Translation<typeof englishLogin> = {
  title: 'Anmelden',
  setupTitle: 'Konto anlegen',
  setupHint: 'Wähle Name und Passwort, mit denen du dich anmeldest.',
  again: 'Deine Sitzung ist abgelaufen. Melde dich an, um weiterzumachen.',
  name: 'Name',
  password: 'Passwort',
  passwordRule: 'Mindestens {n} Zeichen.',
  repeated: 'Passwort wiederholen',
  token: 'Einrichtungs-Token',
  tokenHint: 'Steht in der Konsole von Playhead. Auf dem Rechner, auf dem Playhead läuft, nicht nötig.',
  remember: 'Auf diesem Gerät angemeldet bleiben',
  submit: 'Anmelden',
  create: 'Konto anlegen',
  sso: 'Mit {label} anmelden',
  ssoName: 'deinem verknüpften Konto',
  ssoWaiting: 'Weiter geht es in dem Fenster, das sich geöffnet hat.',
  ssoBlocked:
    'Der Browser hat das Fenster nicht geöffnet. Erlaube Pop-ups für diese Adresse und versuche es noch einmal.',
  ssoClosed: 'Das Fenster wurde geschlossen, bevor du angemeldet warst.',
  reset: 'Das Konto wurde zurückgesetzt. Lege es neu an.',
  unreachable: 'Playhead ist nicht erreichbar.',
  problems: {
    name: 'Gib deinen Namen ein.',
    password: 'Gib dein Passwort ein.',
    short: 'Das Passwort braucht mindestens {n} Zeichen.',
    differ: 'Die Passwörter sind verschieden.',
    wrong: 'Name oder Passwort ist falsch.',
    wait: 'Zu viele Versuche. Warte {n} s, bevor du es noch einmal versuchst.',
  },
  refusals: {
    setup_token_required: 'Du richtest Playhead von einem anderen Gerät aus ein. Gib das Einrichtungs-Token ein.',
    setup_token_invalid: 'Das Einrichtungs-Token ist falsch.',
    account_not_linked:
      'Dieses Konto ist nicht verknüpft. Melde dich mit dem verknüpften Konto oder mit dem Passwort an.',
    credentials_changed: 'Das Konto gibt es schon. Lade die Seite neu und melde dich an.',
    'Authentication setup required': 'Das Konto wurde zurückgesetzt. Lade die Seite neu.',
    'Host not allowed': 'Öffne Playhead über die IP-Adresse, oder trage diesen Namen in security.allowed_hosts ein.',
    'Origin mismatch':
      'Playhead nimmt diese Adresse nicht an. Hinter einem Proxy: trage ihn in security.trusted_proxies ein.',
  },
}
