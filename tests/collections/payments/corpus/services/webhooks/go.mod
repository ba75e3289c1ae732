module ledgerline.example/webhooks

go 1.23
