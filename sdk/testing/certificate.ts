// A self-signed certificate for 127.0.0.1 and localhost, for tests of TLS. The key is public and protects nothing.
export const TEST_TLS: { readonly key: string; readonly cert: string } = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5yTno+X5bo3iceo1
AEo/2PFSUNvA7XMPd+BfSTXxq7yhRANCAAQ5aS9xunDrU2mkwwFb+M1ua0kLiO57
BGajpwZusaQusuTUSAKulegmExHti86hHPQMGvYxnP/2VrgkyqYSFmDB
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEPZOgAtNAwQGNJMCfcx1y4czCAgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMDE5MzcxN1oYDzIxMjYxMDI3
MTkzNzE3WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ5aS9xunDrU2mkwwFb+M1ua0kLiO57BGajpwZusaQusuTUSAKulegm
ExHti86hHPQMGvYxnP/2VrgkyqYSFmDBo28wbTAdBgNVHQ4EFgQU7jkduJszFvFb
QPYuBUVaNZGnmlIwHwYDVR0jBBgwFoAU7jkduJszFvFbQPYuBUVaNZGnmlIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIhAOK1hoDYvFplBdI2Z65FrY+s0ScST31jhUyYKPLnpRQNAiBk
yc/6Oc3sQOKoRpSWwDgZvSnlT/3ZxPFgHf2GunwH/Q==
-----END CERTIFICATE-----`,
}
