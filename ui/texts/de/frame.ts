// German texts of the frame, the shared parts and signing in.
import type { Translation } from '../language.ts'
import type { login as englishLogin } from '../en/login.ts'
import type { parts as englishParts } from '../en/parts.ts'
import type { shell as englishShell } from '../en/shell.ts'

type Some<Texts> = { readonly [Key in keyof Texts]?: Texts[Key] extends string ? string : Some<Texts[Key]> }

export const shell = {
  skip: 'Zum Inhalt springen',
  navigation: 'Seiten',
  openNavigation: 'Navigation öffnen',
  closeNavigation: 'Navigation schließen',
  account: 'Konto',
  signOut: 'Abmelden',
  signedInAs: 'Angemeldet als {name}',
  scheme: 'Farbschema',
  schemes: { light: 'Hell', dark: 'Dunkel', auto: 'System' },
  language: 'Sprache',
  search: 'Zu einer Seite',
  searchHint: 'Name einer Seite, eines Paars oder Diensts',
  searchEmpty: 'Keine Treffer.',
  pluginPages: 'Von Plugins',
  apiReference: 'API-Referenz',
  connection: {
    live: 'Verbunden',
    reconnecting: 'Verbindet neu…',
    lost: 'Verbindung verloren. Diese Seite kann veraltet sein.',
  },
  authOff: 'Die Anmeldung ist aus. Wer diese Adresse erreicht, kann alles sehen und ändern.',
  loading: 'Lädt…',
  notFound: {
    title: 'Seite nicht gefunden',
    text: 'Die Adresse ist falsch, oder die Seite ist umgezogen.',
    home: 'Zur Startseite',
  },
  crash: {
    title: 'Diese Seite ist abgestürzt',
    text: 'Der Rest von Playhead läuft weiter. Versuche es noch einmal. Passiert es wieder, hilft das Protokoll in den Einstellungen.',
    retry: 'Noch einmal versuchen',
  },
  pages: {
    home: 'Start',
    start: 'Erste Schritte',
    connections: 'Verbindungen',
    pairs: 'Paare',
    scrobbling: 'Scrobbling',
    plan: 'Plan',
    runs: 'Läufe',
    schedule: 'Zeitplan',
    continue: 'Weitersehen',
    watchlist: 'Merkliste',
    events: 'Ereignisse',
    import: 'Import',
    export: 'Export',
    backups: 'Backups',
    plugins: 'Plugins',
    pluginPage: 'Plugin-Seite',
    settings: 'Einstellungen',
    login: 'Anmelden',
  },
} satisfies Some<typeof englishShell>

export const parts: Translation<typeof englishParts> = {
  retry: 'Noch einmal versuchen',
  close: 'Schließen',
  failure: {
    title: 'Etwas ist schiefgegangen',
    details: 'Technische Einzelheiten',
    unreachable: 'Playhead ist nicht erreichbar. Läuft es, und ist dieses Gerät online?',
    server: 'Fehler des Servers ({status}). Einzelheiten stehen im Protokoll; versuche es gleich noch einmal.',
    refused: 'Die Anfrage wurde abgelehnt ({status}).',
    forbidden: 'Dafür fehlt dir die Berechtigung.',
    missing: 'Das gibt es nicht mehr.',
    tooMany: 'Zu viele Anfragen. Warte kurz und versuche es noch einmal.',
    invalid: 'Einige Felder stimmen nicht.',
  },
  confirm: {
    cancel: 'Abbrechen',
    touches: 'Betroffen:',
    more: 'und {n} weitere',
    type: 'Gib {word} ein, um fortzufahren',
  },
  copy: { copy: 'Kopieren', copied: 'Kopiert' },
  table: { loadingMore: 'Lädt weitere…', end: 'Ende der Liste', select: 'Auswählen' },
  status: { good: 'gut', bad: 'fehlgeschlagen', warn: 'braucht Aufmerksamkeit', busy: 'läuft', idle: 'ruht' },
  time: { never: 'nie', unknown: 'unbekannt' },
  progress: { of: '{done} von {total}', unknown: 'bisher {done}' },
  chart: { showTable: 'Daten des Diagramms {label}' },
  poster: { none: 'Kein Poster' },
  form: {
    save: 'Speichern',
    required: 'Dieses Feld wird gebraucht.',
    invalid: 'Ungültiger Wert: {message}',
    words: 'Wert eingeben und Eingabetaste drücken',
    add: 'Hinzufügen',
    remove: 'Entfernen',
    up: 'Nach oben',
    down: 'Nach unten',
  },
  list: {
    position: '{name}, Platz {place} von {total}. Alt und eine Pfeiltaste verschieben es.',
    moved: '{name} ist jetzt auf Platz {place} von {total}.',
    drag: '{name} verschieben',
  },
  qr: 'QR-Code für {text}',
}

export const login: Translation<typeof englishLogin> = {
  title: 'Anmelden',
  setupTitle: 'Konto anlegen',
  setupHint: 'Wähle Name und Passwort, mit denen du dich anmeldest.',
  again: 'Deine Sitzung ist abgelaufen. Melde dich an, um weiterzumachen.',
  name: 'Name',
  password: 'Passwort',
  repeated: 'Passwort wiederholen',
  token: 'Einrichtungs-Token',
  tokenHint: 'Steht auf der Konsole von Playhead. Auf dem Gerät, auf dem Playhead läuft, wird es nicht gebraucht.',
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
