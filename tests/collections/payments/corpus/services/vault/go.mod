module ledgerline.example/vault

go 1.23
