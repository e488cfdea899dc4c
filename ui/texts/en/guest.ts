import { translated } from '../language.ts'
export const guest = translated('guest', {
  title: 'Sign in to {service}',
  text: 'Hello {person}! Sign in to your own account at {service}, and Playhead keeps it in sync. The password stays with {service}.',
  once: 'This link works once, and for nothing else. It expires on {time}.',
  go: 'Sign in to {service}',
  again: 'Get a new code',
  gone: {
    title: 'This link does not work',
    text: 'It was used already, has expired, or was revoked. Ask for another one.',
  },
  over: {
    none: 'The code is no longer valid.',
    expired: 'The code has expired.',
    denied: 'The sign-in was declined at {service}.',
    failed: 'The sign-in at {service} did not work.',
  },
  done: { title: 'You are signed in', text: 'Your account at {service} is connected. You can close this page.' },
})
