// `auth reset`: recovers access after a lost password.
import { readEnvironment } from '../environment.ts'
import type { Command } from './command.ts'

export const authReset: Command = {
  name: 'auth reset',
  summary: 'resets the account, so that you can create a new one',
  usage: '',
  help: `
Stop Playhead first. The user name, password and all sessions are deleted. Settings, connected accounts and history are kept.

Example:
  npm run playhead -- auth reset --data /srv/playhead

A one-time token is printed. Start Playhead, open it in a browser and choose a new user name and password. From another
machine the setup asks for the token; on this machine it does not.
If the settings are encrypted with PLAYHEAD_SECRET_KEY, it must be set here too.`,
  async run({ dataDirectory, variables, print }) {
    const { resetAuthentication } = await import('../auth/reset.ts')
    const { setupToken } = await resetAuthentication(dataDirectory, {
      passphrase: readEnvironment(variables).secretKey,
    })
    print(`The account in ${dataDirectory} was reset.`)
    print(`Setup token, required from another machine: ${setupToken}`)
    print('Next: start Playhead and open it in a browser to choose a new user name and password.')
  },
}
