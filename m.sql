\timing off
DO $$ DECLARE t0 timestamptz; i int; BEGIN
 FOR i IN 1..3 LOOP
 DELETE FROM links; DELETE FROM addresses WHERE slug <> '@';
 t0 := clock_timestamp();
 INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
 SELECT ('0198f3c2-0000-7000-9000-'||lpad(to_hex(n),12,'0'))::uuid,'0198f3c2-0000-7000-8000-000000000001','0198f3c2-0000-7000-8000-000000000002','s'||n,'https://example.com/'||n, '{"format":1,"link":"0198f3c2-0000-7000-9000-'||lpad(to_hex(n),12,'0')||'","version":1,"state":"live","url":"https://example.com/","status":302,"rules":['||repeat('{"id":"night-in-berlin","when":{"country":["DE"]},"to":{"url":"https://example.com/a"}},', 20)||'{}]}' FROM generate_series(1,4000) n;
 RAISE NOTICE 'insert 4000: % ms', round(extract(epoch FROM clock_timestamp()-t0)*1000);
 t0 := clock_timestamp();
 UPDATE links SET record = record, url = url || 'x';
 RAISE NOTICE 'edit 4000: % ms', round(extract(epoch FROM clock_timestamp()-t0)*1000);
 END LOOP; END $$;
