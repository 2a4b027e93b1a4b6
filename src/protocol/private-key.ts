/** How a private key begins and ends in PEM, as parts of regular expressions. */
export const KEY_BEGIN = '-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----'
export const KEY_END = '-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----'

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]'
