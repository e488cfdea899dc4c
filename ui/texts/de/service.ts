// German of what the service says in English, by its English text; `{x}` stands for what differs. What is missing here
// stays English.
export const service: Readonly<Record<string, string>> = { 'Could not reach {name}.': '{name} ist nicht erreichbar.' }
