@rem The scripts of package.json replace their shell with "exec", which Windows does not have.
@%*
