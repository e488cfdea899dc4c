// How clients and stored settings call what the core itself has no word for. The interface fixes these names; nothing
// else in the core knows what stands behind them.

/** The third party whose account can be linked to sign in; plugins name it in `needs.signIn`. */
export const SIGN_IN_METHOD = 'mediaA'

/** The source of descriptions and pictures: whether it has a key is told before anybody is signed in. */
export const DESCRIPTIONS = 'metaA'
