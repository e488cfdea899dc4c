// For `plugin test`: the settings of a target at a server that the checks start.
export default (server: string) => ({ server, token: 'a-token-of-the-checks' })
