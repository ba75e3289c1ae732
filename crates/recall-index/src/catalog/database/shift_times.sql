-- Moves the modification times of files by a nanosecond, so that no file has them. A path of this form is that of a memory.
UPDATE main.documents SET modified = max(modified, -9223372036854775807) - 1
WHERE path NOT GLOB '[DPLFNC]-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]';

UPDATE main.shared_documents SET modified = max(modified, -9223372036854775807) - 1
WHERE row NOT IN (
    SELECT row FROM base.documents
    WHERE path GLOB '[DPLFNC]-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
);

UPDATE main.failures SET modified = max(modified, -9223372036854775807) - 1;
