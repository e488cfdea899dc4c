// The keys that may sign lists of the directory of plugins: Ed25519 public keys by name, as `playhead directory key`
// prints them. A new key is added in one release and signs from the next one on; a lost or stolen one is removed.
export type CatalogueKeys = Readonly<Record<string, string>>

export const CATALOGUE_KEYS: CatalogueKeys = { '7284d122': 'qNWW0LLUg5VpUzoVfcbg0-pemsLK2FTduX4sx-gMsr4' }
