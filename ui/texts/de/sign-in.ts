import type { signIn as englishSignIn } from '../en/sign-in.ts'
import type { Translation } from '../language.ts'

export const signIn: Translation<typeof englishSignIn> = {
  methods: 'Art der Anmeldung',
  gone: {
    title: 'Dienst nicht gefunden',
    text: 'Sein Plugin ist vielleicht ausgeschaltet. Sieh auf der Seite der Plugins nach.',
  },
  unavailable: 'Dieser Dienst ist nicht verfügbar: {reason}',
  notNeeded: { title: 'Keine Anmeldung nötig', text: '{label} ist in Playhead eingebaut und braucht kein Konto.' },
  start: { form: 'Anmelden', code: 'Code anfordern', redirect: 'Anmeldeseite öffnen' },
  fields: {
    stored: 'Gespeichert. Leer lassen, um es zu behalten.',
    missing: 'Gib „{name}“ ein.',
    example: 'Zum Beispiel {text}',
  },
  code: {
    title: 'Gib diesen Code ein',
    titleWithLink: 'Gib diesen Code bei {host} ein',
    copy: 'Code kopieren',
    copyLink: 'Link kopieren',
    open: '{host} öffnen',
    scan: 'Oder scanne dies mit dem Handy.',
    linkTitle: 'Öffne diesen Link und bestätige die Anmeldung',
    waiting: 'Wartet auf die Eingabe des Codes…',
    validFor: 'Gültig für {time}',
    ending: 'Der Code läuft gleich ab…',
  },
  redirect: {
    opened: {
      title: 'Weiter geht es in dem Fenster, das sich geöffnet hat',
      text: 'Melde dich dort bei {label} an und erlaube den Zugriff. Diese Seite aktualisiert sich von selbst.',
    },
    closed: {
      title: 'Das Fenster wurde geschlossen',
      text: 'Wenn du den Zugriff bei {label} noch nicht erlaubt hast, öffne die Seite noch einmal.',
    },
    blocked: {
      title: 'Öffne die Anmeldeseite',
      text: 'Der Browser hat kein Fenster geöffnet. Nimm diesen Link und komm dann hierher zurück.',
    },
    elsewhere: {
      title: 'In einem anderen Fenster läuft schon eine Anmeldung',
      text: 'Erlaube dort den Zugriff bei {label}, oder brich ab und beginne noch einmal.',
    },
    pasted: {
      title: 'Weiter geht es in dem Fenster, das sich geöffnet hat',
      text: 'Melde dich dort bei {label} an und erlaube den Zugriff. Dann siehst du ein Token: Kopiere es ganz und komm hierher zurück.',
    },
    token: 'Token',
    tokenHelp: 'Füge ein, was die Seite zeigt.',
    open: 'Anmeldeseite öffnen',
    again: 'Seite noch einmal öffnen',
    waiting: 'Wartet auf deine Zustimmung…',
    finished: 'Ich habe mich angemeldet',
    stillSignedIn: 'Du bist noch angemeldet. Drücke den Knopf, wenn du dich neu angemeldet hast.',
  },
  lost: 'Playhead ist nicht erreichbar. Neuer Versuch…',
  cancel: 'Abbrechen',
  restart: { code: 'Neuen Code anfordern', redirect: 'Noch einmal beginnen', form: 'Noch einmal versuchen' },
  over: {
    expired: {
      title: 'Der Code ist abgelaufen',
      titleRedirect: 'Die Anmeldung hat zu lange gedauert',
      text: 'Die Anmeldung wurde nicht rechtzeitig bestätigt. Beginne noch einmal. Es wurde nichts geändert.',
    },
    denied: {
      title: 'Die Anmeldung wurde abgelehnt',
      text: 'Der Zugriff wurde bei {label} abgelehnt. War das ein Versehen, beginne noch einmal.',
    },
    failed: { title: 'Die Anmeldung ist fehlgeschlagen' },
  },
  failed: 'Die Anmeldung ist fehlgeschlagen',
  reasons: {
    missing_client_id: 'Die Client-ID fehlt.',
    missing_client_secret: 'Das Client-Secret fehlt.',
    client_id_failed:
      'Der Dienst kennt diese Client-ID nicht, oder sie gehört zu einer älteren Art von Anwendung. Prüfe, ob du sie ganz kopiert hast, oder lege eine neue Anwendung an.',
    invalid_client: 'Der Dienst hat diese Anwendung abgelehnt. Prüfe Client-ID und Client-Secret.',
    read_only: 'Der Dienst hat nur das Lesen erlaubt. Beginne noch einmal, und erlaube Lesen und Schreiben.',
    https_required:
      'Dieser Dienst verlangt eine HTTPS-Adresse für die Rückkehr. Öffne Playhead mit HTTPS, oder melde dich mit einem Code an.',
    invalid_code: 'Der Dienst kennt diesen Code nicht mehr. Beginne noch einmal.',
    already_used: 'Dieser Code wurde schon verwendet. Beginne noch einmal.',
    origin_missing: 'Der Dienst kennt die Adresse dieser Seite nicht. Lade die Seite neu.',
    exchange_failed:
      'Der Dienst hat die Anmeldung nicht abgeschlossen. Prüfe Client-ID und Client-Secret und beginne noch einmal.',
    invalid_origin:
      'Playhead nimmt diese Adresse nicht an. Hinter einem Proxy: trage ihn in security.trusted_proxies ein.',
    invalid_response: 'Der Dienst hat ungültig geantwortet. Prüfe die Adresse und versuche es später noch einmal.',
    bad_json: 'Der Dienst hat ungültig geantwortet. Versuche es später noch einmal.',
    blocked:
      'Der Dienst oder etwas davor sperrt Playhead: Statt Daten kam eine Webseite. Deine Eingabe ist nicht die Ursache. Versuche es später noch einmal, oder aus einem anderen Netz.',
    network_error: 'Der Dienst ist nicht erreichbar. Prüfe Adresse und Netzwerk.',
    unreachable: 'Der Dienst ist nicht erreichbar. Prüfe Adresse und Netzwerk.',
    timeout: 'Der Dienst hat nicht rechtzeitig geantwortet. Versuche es noch einmal.',
    tls_error:
      'Dem Zertifikat des Dienstes wird nicht vertraut. Prüfe die Adresse, oder schalte die Prüfung in den Einstellungen aus.',
    host_not_allowed: 'Playhead darf sich mit dieser Adresse nicht verbinden. Prüfe sie.',
    rate_limited: 'Zu viele Anfragen. Warte eine Minute und versuche es noch einmal.',
    http_error: 'Der Dienst hat das abgelehnt. Prüfe deine Eingaben und versuche es noch einmal.',
    unauthorized: 'Der Dienst hat deine Eingaben abgelehnt.',
    auth_failed: 'Der Dienst hat deine Eingaben abgelehnt.',
    forbidden: 'Diesem Konto fehlt die Berechtigung.',
    not_authorized: 'Dieser Benutzer darf sich nicht anmelden.',
    verify_failed: 'Der Dienst hat deine Eingaben abgelehnt.',
    invalid_api_key: 'Der API-Schlüssel ist ungültig.',
    api_key_required: 'Der API-Schlüssel fehlt.',
    missing_api_key: 'Der API-Schlüssel fehlt.',
    token_required: 'Das Token fehlt.',
    invalid_token:
      'Der Dienst nimmt dieses Token nicht an. Kopiere es ganz, oder öffne die Seite noch einmal für ein neues.',
    validation_failed: 'Der Dienst ist nicht erreichbar. Prüfe das Netzwerk und versuche es noch einmal.',
    validation_bad_response: 'Der Dienst hat ungültig geantwortet. Versuche es später noch einmal.',
    invalid_credentials: 'Name oder Passwort ist falsch.',
    user_required: 'Der Benutzer fehlt.',
    missing_server: 'Die Adresse des Servers fehlt.',
    service_unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Versuche es später noch einmal.',
    missing_client_key: 'Der Client-Schlüssel fehlt. Trage ihn in den Einstellungen dieses Dienstes ein.',
    not_configured: 'Die Einstellungen dieses Dienstes sind unvollständig.',
    expired: 'Die Anmeldung ist abgelaufen.',
    cancelled: 'Die Anmeldung wurde abgebrochen.',
    lost: 'Diese Anmeldung gibt es nicht mehr. Vielleicht wurde Playhead neu gestartet. Beginne noch einmal.',
    unknown: 'Der Dienst meldet den Fehler „{code}“. Prüfe deine Eingaben und versuche es noch einmal.',
  },
}
