# Installs recall @VERSION@ into %LOCALAPPDATA%\Programs\recall, or into the folder RECALL_INSTALL_DIR, and puts it on the user's PATH. The archive
# must have the checksum that is written here. With cosign on PATH its signature must be that of the release's workflow.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$base = if ($env:RECALL_INSTALL_BASE) { $env:RECALL_INSTALL_BASE } else { '@BASE@' }
$identity = '@HOMEPAGE@/.github/workflows/release.yml@refs/tags/v@VERSION@'
$sums = '@SUMS@'
$name = 'recall-@VERSION@-x86_64-pc-windows-gnu'

$line = $sums -split "`n" | Where-Object { $_.Trim().EndsWith("  $name.zip") }
if (-not $line) { throw "this release has no archive for Windows" }
$expected = ($line -split ' ')[0]

$place = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Path $place | Out-Null
try {
    $archive = Join-Path $place "$name.zip"
    Invoke-WebRequest -UseBasicParsing -Uri "$base/$name.zip" -OutFile $archive
    $found = (Get-FileHash -Algorithm SHA256 -Path $archive).Hash.ToLowerInvariant()
    if ($found -ne $expected) { throw "the archive has the checksum $found, not $expected; nothing was installed" }

    if (Get-Command cosign -ErrorAction SilentlyContinue) {
        Invoke-WebRequest -UseBasicParsing -Uri "$base/$name.zip.sigstore.json" -OutFile "$archive.sigstore.json"
        & cosign verify-blob --bundle "$archive.sigstore.json" --certificate-identity $identity `
            --certificate-oidc-issuer 'https://token.actions.githubusercontent.com' $archive
        if ($LASTEXITCODE -ne 0) { throw 'the signature of the archive is not that of this release; nothing was installed' }
    } elseif ($env:RECALL_INSTALL_VERIFY) {
        throw 'cosign is not here, and RECALL_INSTALL_VERIFY wants the signature checked; nothing was installed'
    }

    $folder = if ($env:RECALL_INSTALL_DIR) { $env:RECALL_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\recall' }
    Expand-Archive -Path $archive -DestinationPath $place
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    Copy-Item -Force -Path (Join-Path (Join-Path $place $name) '*.exe') -Destination $folder
    $path = [Environment]::GetEnvironmentVariable('Path', 'User')
    if (($path -split ';') -notcontains $folder) {
        [Environment]::SetEnvironmentVariable('Path', "$path;$folder".Trim(';'), 'User')
    }
    Write-Output "installed recall @VERSION@ in $folder"
} finally {
    Remove-Item -Recurse -Force -Path $place
}
